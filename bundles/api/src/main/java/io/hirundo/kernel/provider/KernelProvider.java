package io.hirundo.kernel.provider;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.precision.Support;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Brings a kernel family to devices that lack it. No configuration names it: a run takes the best one of each family, and holds its bundle
 * until it ends, even if no layer looks the family up. The bundle cannot be replaced meanwhile, so give kernels a bundle of their own.
 * Register it as
 *
 * <pre>
 * &#64;Component(service = StrategyFactory.class)
 * &#64;HirundoStrategy(kind = "kernels", name = "acme-scale-cpu")
 * </pre>
 *
 * Thread-safe and without state: several ranks open kernels at a time.
 *
 * @param <K> the family: an interface of {@code io.hirundo.kernel}, or of any bundle
 */
@ConsumerType
public interface KernelProvider<K> extends StrategyFactory<NoOptions, KernelProvider<?>> {
    /** The kind that it is registered with. */
    String KIND = "kernels";

    /** {@link #backend} of kernels that run on any device. */
    String ANY_BACKEND = "*";

    /** How kernels are made; later ones are preferred. */
    enum Tier {
        /** Of calls to other families: runs wherever these do, and reads and writes memory once for each call. */
        COMPOSED,
        /** Plain loops. */
        SCALAR,
        /** Optimized for the device. */
        FAST
    }

    Class<K> family();

    /** The device that the kernels are for, as {@code MemoryProfile.deviceName} names it, {@code cpu} for instance; or {@link #ANY_BACKEND}. */
    default String backend() {
        return ANY_BACKEND;
    }

    Tier tier();

    /**
     * Families that {@link #open} looks up. The provider is taken only if the device has them all, its own or of other providers that are not
     * composed of this family themselves. A provider of better tier therefore cannot fall back on another one of its own family.
     */
    default Set<Class<?>> composes() {
        return Set.of();
    }

    /**
     * Whether the kernels run on this machine's device. A plan for a device that the machine lacks does not ask.
     * A provider that throws here, or in {@link #family}, {@link #backend}, {@link #tier} or {@link #composes}, is not taken, and the log says why.
     */
    default Support supports(DeviceInfo device) {
        return Support.YES;
    }

    /**
     * The kernels of one device, for its rank. If they are {@link AutoCloseable}, they are closed before the device is. Memory that they
     * allocate is {@code WORKSPACE}.
     *
     * <p>A rank opens them when they are first looked up, which may be while it prepares a swap. They stay open if the swap is rejected,
     * with the workspace that they allocated here.
     *
     * <p>A plan opens them on a device that does not compute ({@link Device#computes}). Kernels must allocate there what they allocate
     * elsewhere, in the same order, and must not touch memory. Composed ones do so without a distinction.
     *
     * @param device has the families of {@link #composes}
     * @return not null
     */
    K open(Device device);

    /** This provider. */
    @Override
    default KernelProvider<?> create(NoOptions options) {
        return this;
    }
}
