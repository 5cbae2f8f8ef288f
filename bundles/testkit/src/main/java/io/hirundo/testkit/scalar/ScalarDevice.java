package io.hirundo.testkit.scalar;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.host.HostWorkers;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.kernel.ScalarKernels;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

/** Host memory, a queue that is always idle, and scalar kernels. Allocation is thread-safe. */
final class ScalarDevice implements Device, Transfer, HostWorkers {
    private final DeviceLedger ledger;
    private final Map<Class<?>, Object> families = new HashMap<>();
    private final Kernels kernels;
    /** Kernels that are closed before the device, the newest first. */
    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

    private final Set<ScalarTensor> live = new HashSet<>();

    ScalarDevice(DeviceLedger ledger, List<KernelProvider<?>> further) {
        this.ledger = ledger;
        this.kernels = new ScalarKernels(families);
        try {
            further.forEach(provider -> open(provider));
        } catch (RuntimeException | Error failure) {
            try {
                close();
            } catch (RuntimeException another) {
                failure.addSuppressed(another);
            }
            throw failure;
        }
    }

    private void open(KernelProvider<?> provider) {
        Object made = provider.open(this);
        families.put(provider.family(), made);
        if (made instanceof AutoCloseable closeable) {
            closeables.push(closeable);
        }
    }

    @Override
    public DeviceInfo info() {
        return ScalarBackend.INFO;
    }

    @Override
    public boolean computes() {
        return true;
    }

    @Override
    public Queue newQueue(String purpose) {
        return new ScalarQueue();
    }

    @Override
    public synchronized Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
        long bytes = ScalarBackend.PROFILE.allocationBytes(shape.byteSize(dtype));
        ledger.reserve(category, bytes);
        var tensor = ScalarTensor.allocate(shape, dtype, closed -> giveBack(closed, category, bytes));
        live.add(tensor);
        return tensor;
    }

    private synchronized void giveBack(ScalarTensor tensor, MemoryCategory category, long bytes) {
        live.remove(tensor);
        ledger.release(category, bytes);
    }

    @Override
    public Kernels kernels() {
        return kernels;
    }

    @Override
    public void run(int tasks, IntConsumer body) {
        for (int task = 0; task < tasks; task++) {
            body.accept(task);
        }
    }

    @Override
    public Transfer transfer() {
        return this;
    }

    @Override
    public void upload(Queue queue, MemorySegment host, Tensor tensor) {
        requireRoom(host, tensor);
        MemorySegment.copy(host, 0, ScalarTensor.of("tensor", tensor).bytes(), 0, tensor.byteSize());
    }

    @Override
    public void download(Queue queue, Tensor tensor, MemorySegment host) {
        requireRoom(host, tensor);
        MemorySegment.copy(ScalarTensor.of("tensor", tensor).bytes(), 0, host, 0, tensor.byteSize());
    }

    private static void requireRoom(MemorySegment host, Tensor tensor) {
        if (host.byteSize() < tensor.byteSize()) {
            throw new IllegalArgumentException(
                    "host holds " + host.byteSize() + " bytes, tensor needs " + tensor.byteSize());
        }
    }

    @Override
    public synchronized void close() {
        RuntimeException first = null;
        while (!closeables.isEmpty()) {
            try {
                closeables.pop().close();
            } catch (Exception failure) {
                var wrapped = new IllegalStateException("kernels cannot be closed: " + failure, failure);
                if (first == null) {
                    first = wrapped;
                } else {
                    first.addSuppressed(wrapped);
                }
            }
        }
        List.copyOf(live).forEach(ScalarTensor::close);
        if (first != null) {
            throw first;
        }
    }

    /** The work has ended when a kernel returns. */
    private static final class ScalarQueue implements Queue {
        @Override
        public Event record() {
            return Event.PAST;
        }

        @Override
        public void await(Event event) {
            event.await();
        }

        @Override
        public void drain() {}

        @Override
        public void close() {}
    }
}
