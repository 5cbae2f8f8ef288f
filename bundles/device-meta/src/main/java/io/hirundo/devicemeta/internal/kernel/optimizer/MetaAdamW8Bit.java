package io.hirundo.devicemeta.internal.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** AdamW with moments in 8 bits. Operations per element: 15 as without, and 11 for each moment: two products, a maximum, eight comparisons. */
public record MetaAdamW8Bit(Work work) implements AdamW8BitKernels {
    @Override
    public void adamW(Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<Update> updates) {
        MetaTensor coefficient = MetaTensor.CHECK.vector("gradientCoefficient1", gradientCoefficient1, 1, DType.FP64);
        for (Update update : updates) {
            work.book(
                    queue,
                    "optimizer.adamW8Bit",
                    37 * update.parameterN().elements(),
                    coefficient,
                    MetaTensor.CHECK.of("gradientN", update.gradientN(), DType.FP32),
                    MetaTensor.CHECK.of("parameterN", update.parameterN(), DType.FP32),
                    MetaTensor.CHECK.of("first.quantized", update.first().quantized(), DType.INT32),
                    MetaTensor.CHECK.of("first.scales", update.first().scales(), DType.FP32),
                    MetaTensor.CHECK.of("second.quantized", update.second().quantized(), DType.INT32),
                    MetaTensor.CHECK.of("second.scales", update.second().scales(), DType.FP32));
        }
    }
}
