package io.hirundo.lib.engine.kernel;

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
import java.util.function.Function;

/** A device's kernels, and further ones for the families that it lacks. */
record CompletedKernels(Kernels base, Function<Class<?>, Optional<?>> further) implements Kernels {
    @Override
    public <K> Optional<K> find(Class<K> family) {
        return base.find(family).or(() -> further.apply(family).map(family::cast));
    }

    @Override
    public GemmKernels gemm() {
        return base.gemm();
    }

    @Override
    public NormKernels norm() {
        return base.norm();
    }

    @Override
    public AttentionKernels attention() {
        return base.attention();
    }

    @Override
    public GatedMlpKernels gatedMlp() {
        return base.gatedMlp();
    }

    @Override
    public EmbeddingKernels embedding() {
        return base.embedding();
    }

    @Override
    public LossKernels loss() {
        return base.loss();
    }

    @Override
    public OptimizerKernels optimizer() {
        return base.optimizer();
    }

    @Override
    public ElementwiseKernels elementwise() {
        return base.elementwise();
    }

    @Override
    public Optional<BiasKernels> bias() {
        return find(BiasKernels.class);
    }

    @Override
    public Optional<SoftCapKernels> softCap() {
        return find(SoftCapKernels.class);
    }

    @Override
    public Optional<ArithmeticKernels> arithmetic() {
        return find(ArithmeticKernels.class);
    }

    @Override
    public Optional<AdamW8BitKernels> adamW8Bit() {
        return find(AdamW8BitKernels.class);
    }

    @Override
    public Optional<StochasticRoundingKernels> stochasticRounding() {
        return find(StochasticRoundingKernels.class);
    }

    @Override
    public Optional<BlockScaledKernels> blockScaled() {
        return find(BlockScaledKernels.class);
    }

    @Override
    public Optional<MatrixScaledKernels> matrixScaled() {
        return find(MatrixScaledKernels.class);
    }

    @Override
    public Optional<PieceScaledKernels> pieceScaled() {
        return find(PieceScaledKernels.class);
    }
}
