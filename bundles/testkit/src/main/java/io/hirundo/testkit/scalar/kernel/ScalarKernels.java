package io.hirundo.testkit.scalar.kernel;

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
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.testkit.scalar.scaled.ScalarBlockScaled;
import io.hirundo.testkit.scalar.scaled.ScalarMatrixScaled;
import io.hirundo.testkit.scalar.scaled.ScalarPieceScaled;
import java.util.Map;
import java.util.Optional;

/**
 * The kernel families that layers, precision strategies, optimizers and fabrics use, 8-bit matrices included.
 *
 * @param further other families
 */
public record ScalarKernels(Map<Class<?>, Object> further) implements Kernels {
    @Override
    public GemmKernels gemm() {
        return new ScalarGemm();
    }

    @Override
    public ElementwiseKernels elementwise() {
        return new ScalarElementwise();
    }

    @Override
    public NormKernels norm() {
        return new ScalarNorm();
    }

    @Override
    public AttentionKernels attention() {
        return new ScalarAttention();
    }

    @Override
    public GatedMlpKernels gatedMlp() {
        return new ScalarGatedMlp();
    }

    @Override
    public EmbeddingKernels embedding() {
        return new ScalarEmbedding();
    }

    @Override
    public LossKernels loss() {
        return new ScalarLoss();
    }

    @Override
    public OptimizerKernels optimizer() {
        return new ScalarOptimizer();
    }

    @Override
    public Optional<ArithmeticKernels> arithmetic() {
        return Optional.of(new ScalarArithmetic());
    }

    @Override
    public Optional<BiasKernels> bias() {
        return Optional.of(new ScalarBias());
    }

    @Override
    public Optional<SoftCapKernels> softCap() {
        return Optional.of(new ScalarSoftCap());
    }

    @Override
    public Optional<BlockScaledKernels> blockScaled() {
        return Optional.of(new ScalarBlockScaled());
    }

    @Override
    public Optional<MatrixScaledKernels> matrixScaled() {
        return Optional.of(new ScalarMatrixScaled());
    }

    @Override
    public Optional<PieceScaledKernels> pieceScaled() {
        return Optional.of(new ScalarPieceScaled());
    }

    @Override
    public <K> Optional<K> find(Class<K> family) {
        return Kernels.super.find(family).or(() -> Optional.ofNullable(family.cast(further.get(family))));
    }
}
