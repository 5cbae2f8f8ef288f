package io.hirundo.kernel;

import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The families that have a method in {@link Kernels}: those of every device, and those that a device may lack. */
public final class KernelFamilies {
    private static final Map<Class<?>, Function<Kernels, ?>> ALWAYS = Map.of(
            GemmKernels.class, Kernels::gemm,
            NormKernels.class, Kernels::norm,
            AttentionKernels.class, Kernels::attention,
            GatedMlpKernels.class, Kernels::gatedMlp,
            EmbeddingKernels.class, Kernels::embedding,
            LossKernels.class, Kernels::loss,
            OptimizerKernels.class, Kernels::optimizer,
            ElementwiseKernels.class, Kernels::elementwise);

    private static final Map<Class<?>, Function<Kernels, Optional<?>>> MAYBE = new LinkedHashMap<>();

    static {
        MAYBE.put(BiasKernels.class, Kernels::bias);
        MAYBE.put(SoftCapKernels.class, Kernels::softCap);
        MAYBE.put(ArithmeticKernels.class, Kernels::arithmetic);
        MAYBE.put(AdamW8BitKernels.class, Kernels::adamW8Bit);
        MAYBE.put(StochasticRoundingKernels.class, Kernels::stochasticRounding);
        MAYBE.put(BlockScaledKernels.class, Kernels::blockScaled);
        MAYBE.put(MatrixScaledKernels.class, Kernels::matrixScaled);
        MAYBE.put(PieceScaledKernels.class, Kernels::pieceScaled);
    }

    private KernelFamilies() {}

    /** The families that every device has. */
    public static Set<Class<?>> required() {
        return ALWAYS.keySet();
    }

    /** The families that a device may lack ({@code ComputeBackend.missingKernels}), in a fixed order. */
    public static Set<Class<?>> optional() {
        return Collections.unmodifiableSet(MAYBE.keySet());
    }

    static <K> Optional<K> find(Kernels kernels, Class<K> family) {
        if (ALWAYS.containsKey(family)) {
            return Optional.of(family.cast(ALWAYS.get(family).apply(kernels)));
        }
        return MAYBE.getOrDefault(family, _ -> Optional.empty()).apply(kernels).map(family::cast);
    }
}
