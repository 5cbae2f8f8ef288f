package io.hirundo.devicecpu.internal.optimizer;

import static io.hirundo.kernel.optimizer.AdamW8BitKernels.BLOCK_ELEMENTS;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.DynamicMap;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** AdamW with moments in 8 bits as its formulas say, in double arithmetic. */
public final class ReferenceAdamW8Bit implements AdamW8BitKernels {
    @Override
    public void adamW(Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<Update> updates) {
        double factor = OptimizerOperands.scalar("gradientCoefficient1", gradientCoefficient1)
                .getDouble(0);
        for (Update each : updates) {
            Adam8BitOperands checked = Adam8BitOperands.of(each);
            for (long block = 0; block < checked.firstScales().elements(); block++) {
                adamW(coefficients, factor, checked, block);
            }
        }
    }

    private static void adamW(AdamWCoefficients coefficients, double factor, Adam8BitOperands operands, long block) {
        double beta1 = coefficients.beta1();
        double beta2 = coefficients.beta2();
        double rate = coefficients.learningRate() / (1 - Math.pow(beta1, coefficients.step()));
        double root = Math.sqrt(1 - Math.pow(beta2, coefficients.step()));
        double decay = 1 - coefficients.learningRate() * coefficients.weightDecay();
        double[] first = read(DynamicMap.SIGNED, operands.firstQuantized(), operands.firstScales(), block);
        double[] second = read(DynamicMap.UNSIGNED, operands.secondQuantized(), operands.secondScales(), block);
        for (int i = 0; i < BLOCK_ELEMENTS; i++) {
            long at = block * BLOCK_ELEMENTS + i;
            double g = factor * operands.gradient().getDouble(at);
            first[i] = beta1 * first[i] + (1 - beta1) * g;
            second[i] = beta2 * second[i] + (1 - beta2) * g * g;
            double p = decay * operands.parameter().getDouble(at);
            operands.parameter()
                    .setDouble(at, p - rate * first[i] / (Math.sqrt(second[i]) / root + coefficients.epsilon()));
        }
        write(DynamicMap.SIGNED, first, operands.firstQuantized(), operands.firstScales(), block);
        write(DynamicMap.UNSIGNED, second, operands.secondQuantized(), operands.secondScales(), block);
    }

    private static double[] read(DynamicMap map, CpuTensor quantized, CpuTensor scales, long block) {
        double scale = scales.getDouble(block);
        var values = new double[BLOCK_ELEMENTS];
        for (int i = 0; i < BLOCK_ELEMENTS; i++) {
            // Nothing has been stored in a block of scale 0.
            values[i] = scale == 0
                    ? 0
                    : scale * map.value(Memory.getByte(quantized.address() + block * BLOCK_ELEMENTS + i) & 0xff);
        }
        return values;
    }

    private static void write(DynamicMap map, double[] values, CpuTensor quantized, CpuTensor scales, long block) {
        double most = 0;
        for (double value : values) {
            // Math.max keeps a NaN.
            most = Math.max(most, Math.abs(value));
        }
        float scale = (float) most;
        scales.setDouble(block, scale);
        for (int i = 0; i < BLOCK_ELEMENTS; i++) {
            int nearest = scale == 0 ? 0 : map.quantized((float) (values[i] / scale));
            Memory.setByte(quantized.address() + block * BLOCK_ELEMENTS + i, (byte) nearest);
        }
    }
}
