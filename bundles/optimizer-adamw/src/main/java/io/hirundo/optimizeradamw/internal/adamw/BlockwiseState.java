package io.hirundo.optimizeradamw.internal.adamw;

import static io.hirundo.kernel.AdamW8BitKernels.BLOCK_ELEMENTS;

import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A state tensor with one element for several of a run's, as the trainer saves it: like a parameter with narrower rows. Blocks do not cross rows of
 * published tensors, so every layout that divides rows at blocks has the same ones.
 */
record BlockwiseState(ParameterSpec spec, long firstElement, Tensor value) implements Parameter {
  /**
   * For a run.
   *
   * @param elements of the run for each element of the state; divides {@link io.hirundo.kernel.AdamW8BitKernels#BLOCK_ELEMENTS}, or is that
   */
  static BlockwiseState of(Parameter run, int elements, Tensor value) {
    List<ParameterPart> parts = run.spec().parts().stream().map(part -> narrowed(part, elements)).toList();
    var spec = new ParameterSpec(run.spec().name(), parts, run.spec().initialization());
    return new BlockwiseState(spec, run.firstElement() / elements, value);
  }

  private static ParameterPart narrowed(ParameterPart part, int elements) {
    return new ParameterPart(
        part.path(),
        Shape.of(part.globalShape().dim(0), part.globalShape().dim(1) / elements),
        List.of(part.offset().get(0), part.offset().get(1) / elements),
        Shape.of(part.shape().dim(0), part.shape().dim(1) / elements),
        part.replicas());
  }

  /** Whether rows of all parts, and of the tensors that they are shards of, are whole blocks. */
  static boolean fits(ParameterSpec spec) {
    return spec.parts().stream()
        .allMatch(
            part ->
                part.shape().rank() == 2
                    && part.shape().dim(1) % BLOCK_ELEMENTS == 0
                    && part.globalShape().dim(1) % BLOCK_ELEMENTS == 0
                    && part.offset().get(1) % BLOCK_ELEMENTS == 0);
  }

  @Override
  public Tensor gradient() {
    throw new UnsupportedOperationException("optimizer state has no gradient");
  }
}
