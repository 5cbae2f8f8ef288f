package io.hirundo.devicecuda.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceDiagnostics;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.devicecuda.internal.compile.MachineCode;
import io.hirundo.devicecuda.internal.cublas.CublasLt;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.driver.Gpu;
import io.hirundo.devicecuda.internal.event.EventPool;
import io.hirundo.devicecuda.internal.kernel.CudaKernels;
import io.hirundo.devicecuda.internal.launch.CallMemory;
import io.hirundo.devicecuda.internal.launch.CublasLtGemms;
import io.hirundo.devicecuda.internal.launch.KernelVariants;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.launch.Workspace;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.memory.DeviceMemory;
import io.hirundo.devicecuda.internal.memory.DriverPool;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import io.hirundo.devicecuda.internal.stream.CudaTransfer;
import io.hirundo.devicecuda.internal.stream.KernelClock;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** An open GPU with its primary context, memory, queues and kernels. Allocation and {@link #newQueue} are thread-safe. */
public final class CudaDevice implements Device, DeviceDiagnostics {
    private final DeviceInfo info;
    private final String libraries;
    private final Context context;
    private final DirectCalls calls;
    private final EventPool events;
    private final EventPool timedEvents;
    private final KernelClock clock;
    private final DeviceMemory memory;
    private final Modules modules;
    private final CudaKernels kernels;
    private final Optional<CublasLtGemms> cublasLt;
    private final CudaTransfer transfer;
    /** Number of graph launches; empty without CUDA graphs. */
    private final Optional<LongAdder> graphs;

    private final Set<CudaQueue> queues = new LinkedHashSet<>();

    /**
     * The libraries and options of a device.
     *
     * @param cublasLt empty if the own kernels compute GEMMs
     * @param attendsOnWarpgroups whether attention prefers the warpgroup kernels
     * @param variants kernels to run instead of others
     * @param makesGraphs whether repeated work is captured in CUDA graphs
     */
    record Libraries(
            Driver driver,
            MachineCode code,
            Optional<CublasLt> cublasLt,
            boolean attendsOnWarpgroups,
            KernelVariants variants,
            boolean makesGraphs) {
        /** A description for reports. */
        private String text() {
            return "driver for CUDA " + driver.versionText() + ", GEMMs by "
                    + cublasLt.map(library -> "cuBLASLt " + library.version()).orElse("the own kernels: no cuBLASLt")
                    + ", " + code.text();
        }
    }

    private CudaDevice(
            Libraries libraries,
            Gpu gpu,
            DeviceInfo info,
            MemoryProfile profile,
            DeviceLedger ledger,
            Context context) {
        this.info = info;
        this.graphs = libraries.makesGraphs() ? Optional.of(new LongAdder()) : Optional.empty();
        this.libraries = libraries.text();
        this.context = context;
        this.calls = libraries.driver().calls();
        this.events = EventPool.untimed(context);
        this.timedEvents = EventPool.timed(context);
        this.clock = new KernelClock(timedEvents);
        var pool = new DriverPool(context, () -> calls.releaseMemory(gpu.cudaOrdinal()), events);
        this.memory = new DeviceMemory(pool, profile, ledger, info.memoryBytes());
        this.modules = new Modules(context, libraries.code());
        this.transfer = new CudaTransfer(events);
        try {
            var workspace = new Workspace(memory.take(MemoryCategory.WORKSPACE, Workspace.BYTES));
            // Allocated even without cuBLASLt, as the memory profile says.
            long bytes = profile.workspaceBytes() - Workspace.BYTES;
            Workspace ofGemms = bytes == 0 ? null : new Workspace(memory.take(MemoryCategory.WORKSPACE, bytes));
            this.cublasLt = libraries.cublasLt().map(library -> new CublasLtGemms(library, context, ofGemms));
            this.kernels = CudaKernels.of(
                    modules,
                    workspace,
                    cublasLt,
                    gpu.multiprocessors(),
                    libraries.attendsOnWarpgroups(),
                    libraries.variants(),
                    new CallMemory(memory));
        } catch (RuntimeException failure) {
            memory.close();
            throw failure;
        }
    }

    /**
     * Opens a GPU.
     *
     * @param info describes the rank's share of the GPU
     * @param others the GPUs of the process, which also access this GPU's memory; may include this GPU
     */
    static CudaDevice open(
            Libraries libraries,
            Gpu gpu,
            DeviceInfo info,
            List<Gpu> others,
            MemoryProfile profile,
            DeviceLedger ledger) {
        DirectCalls calls = libraries.driver().calls();
        Context context = gpu.open();
        try {
            context.makeCurrent();
            calls.keepReleasedMemory(gpu.cudaOrdinal());
            for (Gpu other : others) {
                if (other.cudaOrdinal() != gpu.cudaOrdinal()) {
                    calls.openMemory(gpu.cudaOrdinal(), other.cudaOrdinal());
                }
            }
            return new CudaDevice(libraries, gpu, info, profile, ledger, context);
        } catch (RuntimeException failure) {
            context.close();
            throw failure;
        }
    }

    @Override
    public String libraries() {
        return libraries;
    }

    @Override
    public long graphLaunches() {
        return graphs.map(LongAdder::sum).orElse(0L);
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public boolean computes() {
        return true;
    }

    @Override
    public Queue newQueue(String purpose) {
        synchronized (queues) {
            var queue = new CudaQueue(context, calls, memory, events, clock, graphs, closed -> {
                synchronized (queues) {
                    queues.remove(closed);
                }
            });
            queues.add(queue);
            return queue;
        }
    }

    @Override
    public Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
        try {
            return new CudaTensor(memory.take(category, shape.byteSize(dtype)), shape, dtype);
        } catch (DeviceException e) {
            throw new DeviceException(
                    "no memory for a tensor " + shape + " " + dtype + " (" + category + "): " + e.getMessage(), e);
        }
    }

    @Override
    public Kernels kernels() {
        return kernels;
    }

    @Override
    public Transfer transfer() {
        return transfer;
    }

    @Override
    public Optional<KernelTimer> timeKernels() {
        List<CudaQueue> open;
        // Not held while queues are called: a queue that closes holds its own lock first.
        synchronized (queues) {
            open = List.copyOf(queues);
        }
        return Optional.of(clock.start(open));
    }

    @Override
    @SuppressWarnings("try") // Each resource is closed even if another one fails to close.
    public void close() {
        context.makeCurrent();
        try (context;
                modules;
                timedEvents;
                events;
                transfer;
                memory;
                CublasLtGemms lt = cublasLt.orElse(null)) {
            Set<CudaQueue> open;
            synchronized (queues) {
                open = Set.copyOf(queues);
            }
            open.forEach(CudaQueue::close);
        }
    }
}
