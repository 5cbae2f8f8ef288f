package io.hirundo.devicecpu.internal;

import io.hirundo.DeviceException;
import io.hirundo.Reason;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.devicecpu.internal.attention.ReferenceAttention;
import io.hirundo.devicecpu.internal.attention.VectorAttention;
import io.hirundo.devicecpu.internal.attention.library.LibraryAttention;
import io.hirundo.devicecpu.internal.gemm.AnnouncedGemm;
import io.hirundo.devicecpu.internal.gemm.OperandGemm;
import io.hirundo.devicecpu.internal.gemm.ReferenceGemm;
import io.hirundo.devicecpu.internal.gemm.library.GemmChoice;
import io.hirundo.devicecpu.internal.gemm.library.LibraryScaledGemm;
import io.hirundo.devicecpu.internal.memory.AccountedMemory;
import io.hirundo.devicecpu.internal.memory.BlockAllocator;
import io.hirundo.devicecpu.internal.memory.ChunkSource;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.CpuTransfer;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.kernel.host.HostWorkers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import java.util.function.IntConsumer;

/** An open CPU: its accounted memory, its workers and its kernels. Allocation is thread-safe. */
final class CpuDevice implements Device, HostWorkers {
    private final DeviceInfo info;
    private final AccountedMemory memory;
    private final AccountedMemory.Grant workspace;
    private final WorkerPool pool;
    private final OperandGemm gemm;
    private final Optional<LibraryAttention> attention;
    private final Optional<LibraryScaledGemm> scaledGemm;
    private final Kernels kernels;
    private final CpuTransfer transfer = new CpuTransfer();

    /**
     * @param options of this device alone, its workers counted
     * @param choice what multiplies with the vector kernels
     * @param announcement of the choice, called before every GEMM
     */
    CpuDevice(
            DeviceInfo info,
            MemoryProfile profile,
            CpuOptions options,
            GemmChoice choice,
            Runnable announcement,
            DeviceLedger ledger,
            ChunkSource source) {
        this.info = info;
        this.memory = new AccountedMemory(profile, ledger, new BlockAllocator(source, info.memoryBytes()));
        try {
            workspace = memory.take(MemoryCategory.WORKSPACE, profile.workspaceBytes());
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
        int workers = options.workers();
        this.pool = new WorkerPool(workers, workspace.address(), Scratch.WORKER_BYTES);
        Scratch shared = new Scratch(workspace.address() + workers * Scratch.WORKER_BYTES, CpuBackend.SHARED_BYTES);
        boolean vector = options.kernels().equals(CpuOptions.VECTOR);
        this.gemm = new AnnouncedGemm(vector ? choice.open(pool, shared) : new ReferenceGemm(pool), announcement);
        Optional<GemmLibrary> bf16 =
                vector && choice.served().contains(DType.BF16) ? choice.library() : Optional.empty();
        this.attention = bf16.map(library -> new LibraryAttention(pool, library));
        this.scaledGemm = bf16.map(library -> new LibraryScaledGemm(pool, library));
        AttentionKernels own = vector ? new VectorAttention(pool) : new ReferenceAttention();
        this.kernels = new CpuKernels(
                pool, gemm, attention.<AttentionKernels>map(library -> library).orElse(own), scaledGemm, vector);
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
        return new CpuQueue();
    }

    @Override
    public Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
        try {
            return new CpuTensor(memory.take(category, shape.byteSize(dtype)), shape, dtype);
        } catch (DeviceException e) {
            throw new DeviceException(
                    "no memory for a tensor " + shape + " " + dtype + " (" + category + "): " + Reason.of(e), e);
        }
    }

    @Override
    public Kernels kernels() {
        return kernels;
    }

    @Override
    public void run(int tasks, IntConsumer body) {
        pool.run(tasks, (task, _) -> body.accept(task));
    }

    @Override
    public Transfer transfer() {
        return transfer;
    }

    @Override
    public void close() {
        pool.close();
        gemm.close();
        attention.ifPresent(LibraryAttention::close);
        scaledGemm.ifPresent(LibraryScaledGemm::close);
        memory.close();
    }
}
