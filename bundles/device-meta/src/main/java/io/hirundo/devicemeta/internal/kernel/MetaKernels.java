package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.ConfigurationException;
import io.hirundo.devicemeta.internal.kernel.optimizer.MetaAdamW8Bit;
import io.hirundo.devicemeta.internal.kernel.optimizer.MetaOptimizer;
import io.hirundo.devicemeta.internal.kernel.optimizer.MetaStochasticRounding;
import io.hirundo.devicemeta.internal.kernel.scaled.MetaBlockScaled;
import io.hirundo.devicemeta.internal.kernel.scaled.MetaMatrixScaled;
import io.hirundo.devicemeta.internal.kernel.scaled.MetaPieceScaled;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.KernelFamilies;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * The kernel families.
 *
 * @param missing families that the impersonated device does not have
 * @param ofQueryGradients allocates and releases workspace bytes for the dQ accumulators
 */
public record MetaKernels(Work work, Set<Class<?>> missing, LongConsumer ofQueryGradients) implements Kernels {
    /**
     * The optional families of these names.
     *
     * @throws ConfigurationException if there is none of a name
     */
    public static Set<Class<?>> named(List<String> names) {
        List<String> allowed = KernelFamilies.optional().stream()
                .<String>map(Class::getSimpleName)
                .toList();
        for (String name : names) {
            if (!allowed.contains(name)) {
                throw new ConfigurationException("device.options.missingKernels: " + name + " is wrong (allowed: "
                        + String.join(", ", allowed) + "); name one of these");
            }
        }
        return KernelFamilies.optional().stream()
                .filter(family -> names.contains(family.getSimpleName()))
                .collect(Collectors.toUnmodifiableSet());
    }

    private <K> Optional<K> unlessMissing(Class<K> family, K kernels) {
        return missing.contains(family) ? Optional.empty() : Optional.of(kernels);
    }

    @Override
    public GemmKernels gemm() {
        return new MetaGemm(work);
    }

    @Override
    public NormKernels norm() {
        return new MetaNorm(work);
    }

    @Override
    public AttentionKernels attention() {
        return new MetaAttention(work, ofQueryGradients);
    }

    @Override
    public GatedMlpKernels gatedMlp() {
        return new MetaGatedMlp(work);
    }

    @Override
    public EmbeddingKernels embedding() {
        return new MetaEmbedding(work);
    }

    @Override
    public LossKernels loss() {
        return new MetaLoss(work);
    }

    @Override
    public OptimizerKernels optimizer() {
        return new MetaOptimizer(work);
    }

    @Override
    public ElementwiseKernels elementwise() {
        return new MetaElementwise(work);
    }

    @Override
    public Optional<BiasKernels> bias() {
        return unlessMissing(BiasKernels.class, new MetaBias(work));
    }

    @Override
    public Optional<SoftCapKernels> softCap() {
        return unlessMissing(SoftCapKernels.class, new MetaSoftCap(work));
    }

    @Override
    public Optional<ArithmeticKernels> arithmetic() {
        return unlessMissing(ArithmeticKernels.class, new MetaArithmetic(work));
    }

    @Override
    public Optional<AdamW8BitKernels> adamW8Bit() {
        return unlessMissing(AdamW8BitKernels.class, new MetaAdamW8Bit(work));
    }

    @Override
    public Optional<StochasticRoundingKernels> stochasticRounding() {
        return unlessMissing(StochasticRoundingKernels.class, new MetaStochasticRounding(work));
    }

    @Override
    public Optional<BlockScaledKernels> blockScaled() {
        return unlessMissing(BlockScaledKernels.class, new MetaBlockScaled(work));
    }

    @Override
    public Optional<MatrixScaledKernels> matrixScaled() {
        return unlessMissing(MatrixScaledKernels.class, new MetaMatrixScaled(work));
    }

    @Override
    public Optional<PieceScaledKernels> pieceScaled() {
        return unlessMissing(PieceScaledKernels.class, new MetaPieceScaled(work));
    }
}
