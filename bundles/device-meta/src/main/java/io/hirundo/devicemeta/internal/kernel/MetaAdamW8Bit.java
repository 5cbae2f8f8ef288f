package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.memory.Operands;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.AdamW8BitKernels;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** AdamW with moments in 8 bits. Operations per element: 15 as without, and 11 for each moment: two products, a maximum, eight comparisons. */
record MetaAdamW8Bit(Work work) implements AdamW8BitKernels {
  @Override
  public void adamW(Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<Update> updates) {
    MetaTensor coefficient = Operands.vector("gradientCoefficient1", gradientCoefficient1, 1, DType.FP64);
    for (Update update : updates) {
      MetaTensor parameter = Operands.of("parameterN", update.parameterN(), DType.FP32);
      long elements = parameter.elements();
      if (elements % BLOCK_ELEMENTS != 0) {
        throw new IllegalArgumentException("parameterN has " + elements + " elements (allowed: a multiple of " + BLOCK_ELEMENTS + ")");
      }
      work.book(
          queue,
          "optimizer.adamW8Bit",
          37 * elements,
          coefficient,
          Operands.vector("gradientN", update.gradientN(), elements, DType.FP32),
          parameter,
          quantized("first", update.first(), elements),
          scales("first", update.first(), elements),
          quantized("second", update.second(), elements),
          scales("second", update.second(), elements));
    }
  }

  private static MetaTensor quantized(String name, Moment moment, long elements) {
    return Operands.vector(name + ".quantized", moment.quantized(), elements / VALUES_OF_WORD, DType.INT32);
  }

  private static MetaTensor scales(String name, Moment moment, long elements) {
    return Operands.vector(name + ".scales", moment.scales(), elements / BLOCK_ELEMENTS, DType.FP32);
  }
}
