package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.devicecuda.internal.kernel.attention.CudaAttention;
import io.hirundo.devicecuda.internal.kernel.gemm.CudaBlockScaled;
import io.hirundo.devicecuda.internal.kernel.gemm.CudaGemm;
import io.hirundo.devicecuda.internal.kernel.gemm.CudaPieceScaled;
import io.hirundo.devicecuda.internal.kernel.gemm.WarpgroupGemms;
import io.hirundo.devicecuda.internal.kernel.optimizer.CudaAdamW8Bit;
import io.hirundo.devicecuda.internal.kernel.optimizer.CudaOptimizer;
import io.hirundo.devicecuda.internal.kernel.optimizer.CudaStochasticRounding;
import io.hirundo.devicecuda.internal.launch.CallMemory;
import io.hirundo.devicecuda.internal.launch.CublasLtGemms;
import io.hirundo.devicecuda.internal.launch.KernelVariants;
import io.hirundo.devicecuda.internal.launch.LogOnce;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.launch.Workspace;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.LossKernels;
import io.hirundo.kernel.NormKernels;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import java.util.Optional;

/**
 * The kernels of one GPU.
 *
 * @param modules compiles and loads the kernels
 * @param workspace scratch memory of kernels with two stages
 * @param cublasLt cuBLASLt; empty if the own kernels compute GEMMs
 * @param warpgroups own tensor-core GEMMs
 * @param multiprocessors number of multiprocessors, and so of persistent blocks
 * @param attendsOnWarpgroups whether attention prefers the warpgroup kernels
 * @param variants kernels to run instead of others
 * @param ofCalls memory that a kernel allocates for the duration of a call
 * @param log logs once what the faster kernels do not support
 */
public record CudaKernels(
        Modules modules,
        Workspace workspace,
        Optional<CublasLtGemms> cublasLt,
        WarpgroupGemms warpgroups,
        int multiprocessors,
        boolean attendsOnWarpgroups,
        KernelVariants variants,
        CallMemory ofCalls,
        LogOnce log)
        implements Kernels {
    /** The kernels of a GPU with this number of multiprocessors. */
    public static CudaKernels of(
            Modules modules,
            Workspace workspace,
            Optional<CublasLtGemms> cublasLt,
            int multiprocessors,
            boolean attendsOnWarpgroups,
            KernelVariants variants,
            CallMemory ofCalls) {
        var log = new LogOnce();
        var warpgroups = new WarpgroupGemms(modules, multiprocessors, variants.wideGemm(), log);
        return new CudaKernels(
                modules, workspace, cublasLt, warpgroups, multiprocessors, attendsOnWarpgroups, variants, ofCalls, log);
    }

    @Override
    public GemmKernels gemm() {
        return new CudaGemm(modules, cublasLt, warpgroups);
    }

    @Override
    public NormKernels norm() {
        return new CudaNorm(modules, workspace);
    }

    @Override
    public AttentionKernels attention() {
        return new CudaAttention(modules, attendsOnWarpgroups, variants, multiprocessors, ofCalls, log);
    }

    @Override
    public GatedMlpKernels gatedMlp() {
        return new CudaGatedMlp(modules);
    }

    @Override
    public EmbeddingKernels embedding() {
        return new CudaEmbedding(modules);
    }

    @Override
    public LossKernels loss() {
        return new CudaLoss(modules, workspace);
    }

    @Override
    public OptimizerKernels optimizer() {
        return new CudaOptimizer(modules, workspace);
    }

    @Override
    public ElementwiseKernels elementwise() {
        return new CudaElementwise(modules);
    }

    @Override
    public Optional<BiasKernels> bias() {
        return Optional.of(new CudaBias(modules));
    }

    @Override
    public Optional<SoftCapKernels> softCap() {
        return Optional.of(new CudaSoftCap(modules));
    }

    @Override
    public Optional<ArithmeticKernels> arithmetic() {
        return Optional.of(new CudaArithmetic(modules));
    }

    @Override
    public Optional<AdamW8BitKernels> adamW8Bit() {
        return Optional.of(new CudaAdamW8Bit(modules));
    }

    @Override
    public Optional<StochasticRoundingKernels> stochasticRounding() {
        return Optional.of(new CudaStochasticRounding(modules));
    }

    @Override
    public Optional<BlockScaledKernels> blockScaled() {
        return Optional.of(new CudaBlockScaled(modules, cublasLt, warpgroups));
    }

    @Override
    public Optional<PieceScaledKernels> pieceScaled() {
        return Optional.of(new CudaPieceScaled(modules));
    }
}
