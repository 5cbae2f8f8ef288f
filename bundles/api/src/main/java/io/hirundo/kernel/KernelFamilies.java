package io.hirundo.kernel;

import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The families that every device is asked for by a method of {@link Kernels}. */
final class KernelFamilies {
  private static final Map<Class<?>, Function<Kernels, Optional<?>>> BY_METHOD =
      Map.ofEntries(
          Map.entry(GemmKernels.class, kernels -> Optional.of(kernels.gemm())),
          Map.entry(NormKernels.class, kernels -> Optional.of(kernels.norm())),
          Map.entry(AttentionKernels.class, kernels -> Optional.of(kernels.attention())),
          Map.entry(GatedMlpKernels.class, kernels -> Optional.of(kernels.gatedMlp())),
          Map.entry(EmbeddingKernels.class, kernels -> Optional.of(kernels.embedding())),
          Map.entry(LossKernels.class, kernels -> Optional.of(kernels.loss())),
          Map.entry(OptimizerKernels.class, kernels -> Optional.of(kernels.optimizer())),
          Map.entry(ElementwiseKernels.class, kernels -> Optional.of(kernels.elementwise())),
          Map.entry(BiasKernels.class, Kernels::bias),
          Map.entry(SoftCapKernels.class, Kernels::softCap),
          Map.entry(ArithmeticKernels.class, Kernels::arithmetic),
          Map.entry(AdamW8BitKernels.class, Kernels::adamW8Bit),
          Map.entry(StochasticRoundingKernels.class, Kernels::stochasticRounding),
          Map.entry(BlockScaledKernels.class, Kernels::blockScaled),
          Map.entry(MatrixScaledKernels.class, Kernels::matrixScaled),
          Map.entry(PieceScaledKernels.class, Kernels::pieceScaled));

  private KernelFamilies() {}

  static <K> Optional<K> find(Kernels kernels, Class<K> family) {
    return BY_METHOD.getOrDefault(family, _ -> Optional.empty()).apply(kernels).map(family::cast);
  }
}
