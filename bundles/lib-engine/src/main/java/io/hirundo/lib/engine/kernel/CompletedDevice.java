package io.hirundo.lib.engine.kernel;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.kernel.Kernels;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open device with the kernels of bundles, opened when a layer, optimizer or precision first looks them up, and closed
 * before the device. Also a swap that is rejected opens them: they stay open, with the workspace that they allocated in {@code open}.
 */
final class CompletedDevice implements Device {
    private static final Logger LOG = LoggerFactory.getLogger(CompletedDevice.class);

    private final Device base;
    private final KernelChoice choice;
    private final Kernels kernels;
    private final Map<Class<?>, Object> families = new HashMap<>();
    private final Set<Class<?>> opening = new LinkedHashSet<>();
    private final Opened opened = new Opened();

    CompletedDevice(Device base, KernelChoice choice) {
        this.base = opened.add(base, Device::close);
        this.choice = choice;
        this.kernels = new CompletedKernels(base.kernels(), this::further);
    }

    private synchronized Optional<?> further(Class<?> family) {
        if (!families.containsKey(family)) {
            choice.offer(family).ifPresent(offer -> families.put(family, open(offer)));
        }
        return Optional.ofNullable(families.get(family));
    }

    /** Composed kernels look for others meanwhile. */
    private Object open(KernelOffer offer) {
        Class<?> family = offer.provider().family();
        if (!opening.add(family)) {
            throw new IllegalStateException("kernels " + offer + " are composed of themselves: " + opening);
        }
        try {
            Object made = made(offer);
            if (made instanceof AutoCloseable closeable) {
                opened.add(closeable, each -> close(each, offer));
            }
            if (!family.isInstance(made)) {
                String what = made == null ? "null" : made.getClass().getName();
                throw new IllegalStateException("kernels " + offer + ": open returns " + what + " instead of "
                        + family.getName() + "; repair the bundle");
            }
            if (computes()) {
                choice.log(offer);
            } else {
                choice.count(offer);
            }
            return made;
        } finally {
            opening.remove(family);
        }
    }

    private Object made(KernelOffer offer) {
        try {
            return offer.provider().open(this);
        } catch (HirundoException failure) {
            // Its exit code stays; composed kernels pass on failures of those that they look up.
            LOG.error("cannot open kernels {}: {}", offer, Reason.of(failure));
            throw failure;
        } catch (RuntimeException | LinkageError failure) {
            throw new IllegalStateException("cannot open kernels " + offer + ": " + Reason.of(failure), failure);
        }
    }

    private static void close(AutoCloseable kernels, KernelOffer offer) {
        try {
            kernels.close();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException("cannot close kernels " + offer + ": " + Reason.of(failure), failure);
        }
    }

    @Override
    public DeviceInfo info() {
        return base.info();
    }

    @Override
    public boolean computes() {
        return base.computes();
    }

    @Override
    public Queue newQueue(String purpose) {
        return base.newQueue(purpose);
    }

    @Override
    public Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
        return base.allocate(category, shape, dtype);
    }

    @Override
    public Kernels kernels() {
        return kernels;
    }

    @Override
    public Transfer transfer() {
        return base.transfer();
    }

    @Override
    public Optional<KernelTimer> timeKernels() {
        return base.timeKernels();
    }

    @Override
    public <T> Optional<T> adapt(Class<T> type) {
        return base.adapt(type);
    }

    @Override
    public void close() {
        opened.close();
    }
}
