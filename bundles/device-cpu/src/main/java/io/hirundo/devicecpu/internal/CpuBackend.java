package io.hirundo.devicecpu.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecpu.internal.gemm.library.GemmChoice;
import io.hirundo.devicecpu.internal.memory.ChunkSource;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.kernel.host.GemmLibrary;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processors of this machine, all of them as one device. It may be opened several times, once for each rank of a JVM:
 * {@link #sharedBy} then gives each rank its part of the memory, and of the cores where the options leave them open.
 */
public final class CpuBackend implements ComputeBackend {
    /** For what all workers share: a GEMM's packed operand. */
    static final long SHARED_BYTES = 8L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(CpuBackend.class);

    private final CpuOptions options;
    private final List<GemmLibrary> libraries;
    private final int ranks;
    private final AtomicBoolean announced = new AtomicBoolean();
    private GemmChoice choice;

    /** @param libraries that may multiply */
    public CpuBackend(CpuOptions options, List<GemmLibrary> libraries) {
        this(options, libraries, 1);
    }

    private CpuBackend(CpuOptions options, List<GemmLibrary> libraries, int ranks) {
        this.options = options;
        this.libraries = libraries;
        this.ranks = ranks;
    }

    @Override
    public List<DeviceInfo> devices() {
        DeviceInfo machine = Machine.describe();
        return List.of(new DeviceInfo(
                machine.backend(), machine.ordinal(), machine.name(), machine.arch(), machine.memoryBytes() / ranks));
    }

    /** The number of ranks replaces an earlier one: of a backend that is shared already, too, it is all that open a device. */
    @Override
    public ComputeBackend sharedBy(int ranks) {
        if (ranks < 1) {
            throw new IllegalArgumentException("a device is shared by 1 rank or more, not " + ranks);
        }
        return new CpuBackend(options, libraries, ranks);
    }

    @Override
    public MemoryProfile memoryProfile() {
        return new MemoryProfile(
                "cpu", Memory.ALIGNMENT_BYTES, options.workerCount(ranks) * Scratch.WORKER_BYTES + SHARED_BYTES);
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        if (ordinal != 0) {
            throw new DeviceException(
                    "device cpu has no ordinal " + ordinal + ": a machine's processors are one device, ordinal 0");
        }
        CpuOptions ofRank = new CpuOptions(options.workerCount(ranks), options.kernels(), options.gemm());
        GemmChoice decided = choice();
        return new CpuDevice(
                devices().getFirst(),
                memoryProfile(),
                ofRank,
                decided,
                () -> announce(decided),
                ledger,
                ChunkSource.nativeHeap());
    }

    /** Decided once, however many ranks open a device. */
    private synchronized GemmChoice choice() {
        if (choice == null) {
            choice = options.kernels().equals(CpuOptions.REFERENCE)
                    ? GemmChoice.reference()
                    : GemmChoice.of(options.gemm(), libraries);
        }
        return choice;
    }

    /** Once, however many ranks multiply. */
    private void announce(GemmChoice decided) {
        if (!announced.get() && announced.compareAndSet(false, true)) {
            LOG.info("device cpu: {}", decided.reasons());
        }
    }
}
