package __package__;

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
import java.util.Optional;

/** Kernels by family: this project's GEMMs, all others from the other device. Further families are brought by a {@code KernelProvider}. */
record __Name__Families(Kernels base, GemmKernels gemm) implements Kernels {
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
        return base.bias();
    }

    @Override
    public Optional<SoftCapKernels> softCap() {
        return base.softCap();
    }

    @Override
    public Optional<ArithmeticKernels> arithmetic() {
        return base.arithmetic();
    }

    @Override
    public Optional<AdamW8BitKernels> adamW8Bit() {
        return base.adamW8Bit();
    }

    @Override
    public Optional<StochasticRoundingKernels> stochasticRounding() {
        return base.stochasticRounding();
    }
}
