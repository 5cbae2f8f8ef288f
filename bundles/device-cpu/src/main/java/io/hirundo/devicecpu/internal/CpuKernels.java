package io.hirundo.devicecpu.internal;

import io.hirundo.devicecpu.internal.arithmetic.ReferenceArithmetic;
import io.hirundo.devicecpu.internal.arithmetic.VectorArithmetic;
import io.hirundo.devicecpu.internal.bias.ReferenceBias;
import io.hirundo.devicecpu.internal.bias.VectorBias;
import io.hirundo.devicecpu.internal.elementwise.ReferenceElementwise;
import io.hirundo.devicecpu.internal.elementwise.VectorElementwise;
import io.hirundo.devicecpu.internal.embedding.ReferenceEmbedding;
import io.hirundo.devicecpu.internal.embedding.VectorEmbedding;
import io.hirundo.devicecpu.internal.gemm.library.LibraryScaledGemm;
import io.hirundo.devicecpu.internal.loss.ReferenceLoss;
import io.hirundo.devicecpu.internal.loss.VectorLoss;
import io.hirundo.devicecpu.internal.mlp.ReferenceGatedMlp;
import io.hirundo.devicecpu.internal.mlp.VectorGatedMlp;
import io.hirundo.devicecpu.internal.norm.ReferenceNorm;
import io.hirundo.devicecpu.internal.norm.VectorNorm;
import io.hirundo.devicecpu.internal.optimizer.ReferenceAdamW8Bit;
import io.hirundo.devicecpu.internal.optimizer.ReferenceOptimizer;
import io.hirundo.devicecpu.internal.optimizer.ReferenceStochasticRounding;
import io.hirundo.devicecpu.internal.optimizer.VectorAdamW8Bit;
import io.hirundo.devicecpu.internal.optimizer.VectorOptimizer;
import io.hirundo.devicecpu.internal.optimizer.VectorStochasticRounding;
import io.hirundo.devicecpu.internal.quantize.ReferenceBlockScaled;
import io.hirundo.devicecpu.internal.quantize.ReferenceMatrixScaled;
import io.hirundo.devicecpu.internal.quantize.ReferencePieceScaled;
import io.hirundo.devicecpu.internal.quantize.VectorBlockScaled;
import io.hirundo.devicecpu.internal.quantize.VectorMatrixScaled;
import io.hirundo.devicecpu.internal.quantize.VectorPieceScaled;
import io.hirundo.devicecpu.internal.softcap.ReferenceSoftCap;
import io.hirundo.devicecpu.internal.softcap.VectorSoftCap;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
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
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import java.util.Optional;

/** The kernels of one CPU device: of each family the Vector API implementation or the scalar reference, as configured. */
final class CpuKernels implements Kernels {
    private final GemmKernels gemm;
    private final NormKernels norm;
    private final AttentionKernels attention;
    private final GatedMlpKernels gatedMlp;
    private final EmbeddingKernels embedding;
    private final LossKernels loss;
    private final OptimizerKernels optimizer;
    private final ElementwiseKernels elementwise;
    private final BiasKernels bias;
    private final SoftCapKernels softCap;
    private final ArithmeticKernels arithmetic;
    private final BlockScaledKernels blockScaled;
    private final MatrixScaledKernels matrixScaled;
    private final PieceScaledKernels pieceScaled;
    private final AdamW8BitKernels adamW8Bit;
    private final StochasticRoundingKernels stochasticRounding;

    /**
     * @param pool the device's workers, shared by all families
     * @param gemm the device's
     * @param attention the device's
     * @param scaledGemm of FP8 matrices, where a library multiplies
     * @param vector whether to take the Vector API implementations of other families; they leave FP64 to the references
     */
    CpuKernels(
            WorkerPool pool,
            GemmKernels gemm,
            AttentionKernels attention,
            Optional<LibraryScaledGemm> scaledGemm,
            boolean vector) {
        this.gemm = gemm;
        this.attention = attention;
        norm = vector ? new VectorNorm(pool) : new ReferenceNorm();
        gatedMlp = vector ? new VectorGatedMlp(pool) : new ReferenceGatedMlp();
        embedding = vector ? new VectorEmbedding(pool) : new ReferenceEmbedding();
        loss = vector ? new VectorLoss(pool) : new ReferenceLoss();
        optimizer = vector ? new VectorOptimizer(pool) : new ReferenceOptimizer();
        elementwise = vector ? new VectorElementwise(pool) : new ReferenceElementwise();
        bias = vector ? new VectorBias(pool) : new ReferenceBias();
        softCap = vector ? new VectorSoftCap(pool) : new ReferenceSoftCap();
        arithmetic = vector ? new VectorArithmetic(pool) : new ReferenceArithmetic();
        blockScaled = vector ? new VectorBlockScaled(pool, scaledGemm) : new ReferenceBlockScaled(pool);
        matrixScaled = vector ? new VectorMatrixScaled(pool) : new ReferenceMatrixScaled(pool);
        adamW8Bit = vector ? new VectorAdamW8Bit(pool) : new ReferenceAdamW8Bit();
        stochasticRounding = vector ? new VectorStochasticRounding(pool) : new ReferenceStochasticRounding();
        pieceScaled = vector ? new VectorPieceScaled(pool) : new ReferencePieceScaled();
    }

    @Override
    public GemmKernels gemm() {
        return gemm;
    }

    @Override
    public NormKernels norm() {
        return norm;
    }

    @Override
    public AttentionKernels attention() {
        return attention;
    }

    @Override
    public GatedMlpKernels gatedMlp() {
        return gatedMlp;
    }

    @Override
    public EmbeddingKernels embedding() {
        return embedding;
    }

    @Override
    public LossKernels loss() {
        return loss;
    }

    @Override
    public OptimizerKernels optimizer() {
        return optimizer;
    }

    @Override
    public ElementwiseKernels elementwise() {
        return elementwise;
    }

    @Override
    public Optional<BiasKernels> bias() {
        return Optional.of(bias);
    }

    @Override
    public Optional<SoftCapKernels> softCap() {
        return Optional.of(softCap);
    }

    @Override
    public Optional<ArithmeticKernels> arithmetic() {
        return Optional.of(arithmetic);
    }

    @Override
    public Optional<AdamW8BitKernels> adamW8Bit() {
        return Optional.of(adamW8Bit);
    }

    @Override
    public Optional<StochasticRoundingKernels> stochasticRounding() {
        return Optional.of(stochasticRounding);
    }

    @Override
    public Optional<BlockScaledKernels> blockScaled() {
        return Optional.of(blockScaled);
    }

    @Override
    public Optional<MatrixScaledKernels> matrixScaled() {
        return Optional.of(matrixScaled);
    }

    @Override
    public Optional<PieceScaledKernels> pieceScaled() {
        return Optional.of(pieceScaled);
    }
}
