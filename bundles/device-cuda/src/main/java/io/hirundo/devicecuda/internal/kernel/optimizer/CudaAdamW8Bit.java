package io.hirundo.devicecuda.internal.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** The kernel {@code adamw_8bit} of {@code optimizer.cu}, which processes several tensors in one launch. */
public record CudaAdamW8Bit(Modules modules) implements AdamW8BitKernels {
    private static final TensorTable.Form UPDATED =
            new TensorTable.Form(6, 64, 16L * BLOCK_ELEMENTS, Integer.MAX_VALUE);

    @Override
    public void adamW(Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<Update> updates) {
        CudaTensor coefficient = CudaTensor.CHECK.vector("gradientCoefficient1", gradientCoefficient1, 1, DType.FP64);
        for (TensorTable table :
                TensorTable.of(UPDATED, updates.stream().map(CudaAdamW8Bit::row).toList())) {
            table.to(modules.launch(queue, "optimizer", "adamw_8bit").tensor(coefficient))
                    .real(coefficients.beta1())
                    .real(coefficients.beta2())
                    .real(coefficients.learningRate()
                            / (1 - Math.pow(coefficients.beta1(), (double) coefficients.step())))
                    .real(Math.sqrt(1 - Math.pow(coefficients.beta2(), (double) coefficients.step())))
                    .real(1 - coefficients.learningRate() * coefficients.weightDecay())
                    .real(coefficients.epsilon())
                    .run(table.blocks(), BLOCK_ELEMENTS);
        }
    }

    private static List<CudaTensor> row(Update update) {
        return List.of(
                CudaTensor.CHECK.of("gradientN", update.gradientN(), DType.FP32),
                CudaTensor.CHECK.of("parameterN", update.parameterN(), DType.FP32),
                CudaTensor.CHECK.of("first.quantized", update.first().quantized(), DType.INT32),
                CudaTensor.CHECK.of("first.scales", update.first().scales(), DType.FP32),
                CudaTensor.CHECK.of("second.quantized", update.second().quantized(), DType.INT32),
                CudaTensor.CHECK.of("second.scales", update.second().scales(), DType.FP32));
    }
}
