package io.hirundo.devicecpu.internal.norm;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.NormKernels;
import io.hirundo.tensor.Tensor;

/**
 * RMSNorm as its formulas say, in double arithmetic, for FP64, FP32 and BF16. With r the inverse root mean square of a
 * token's x, {@code y = x r w} (Zhang and Sennrich 2019, arXiv 1910.07467). From {@code dr/dx_c = -r³ x_c / C} follows
 * {@code dx = r (w dy - x r² mean(w dy x))} and {@code dw = sum over tokens of dy x r}.
 */
public final class ReferenceNorm implements NormKernels {
    @Override
    public void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        CpuTensor weight = operands.weight("weightC", weightC);
        CpuTensor y = operands.rows("yTC", yTC);
        for (long token = 0; token < operands.tokens(); token++) {
            operands.inverseRms().setDouble(token, inverseRms(operands, token, epsilon));
            apply(operands, token, weight, y);
        }
    }

    @Override
    public void addForward(
            Queue queue,
            Tensor xTC,
            Tensor deltaTC,
            Tensor weightC,
            double epsilon,
            Tensor sumTC,
            Tensor yTC,
            Tensor inverseRmsT) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        CpuTensor delta = operands.rows("deltaTC", deltaTC);
        CpuTensor sum = operands.rows("sumTC", sumTC);
        operands.weight("weightC", weightC);
        operands.rows("yTC", yTC);
        for (long i = 0; i < sum.elements(); i++) {
            sum.setDouble(i, operands.x().getDouble(i) + delta.getDouble(i));
        }
        forward(queue, sum, weightC, epsilon, yTC, inverseRmsT);
    }

    @Override
    public void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        CpuTensor weight = operands.weight("weightC", weightC);
        CpuTensor y = operands.rows("yTC", yTC);
        for (long token = 0; token < operands.tokens(); token++) {
            apply(operands, token, weight, y);
        }
    }

    @Override
    public void backwardInput(
            Queue queue,
            Tensor dyTC,
            Tensor xTC,
            Tensor weightC,
            Tensor inverseRmsT,
            Tensor residualGradientTC,
            Tensor dxTC) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        CpuTensor dy = operands.rows("dyTC", dyTC);
        CpuTensor weight = operands.weight("weightC", weightC);
        CpuTensor residual =
                residualGradientTC == null ? null : operands.rows("residualGradientTC", residualGradientTC);
        CpuTensor dx = operands.rows("dxTC", dxTC);
        int channels = operands.channels();
        for (long token = 0; token < operands.tokens(); token++) {
            long row = token * channels;
            double r = operands.inverseRms().getDouble(token);
            double dot = 0;
            for (int c = 0; c < channels; c++) {
                dot += weight.getDouble(c)
                        * dy.getDouble(row + c)
                        * operands.x().getDouble(row + c);
            }
            for (int c = 0; c < channels; c++) {
                double past = residual == null ? 0 : residual.getDouble(row + c);
                double x = operands.x().getDouble(row + c);
                dx.setDouble(
                        row + c, past + r * (weight.getDouble(c) * dy.getDouble(row + c) - x * r * r * dot / channels));
            }
        }
    }

    @Override
    public void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        CpuTensor dy = operands.rows("dyTC", dyTC);
        CpuTensor dw = operands.weight("dwC", dwC);
        int channels = operands.channels();
        for (int c = 0; c < channels; c++) {
            double sum = 0;
            for (long token = 0; token < operands.tokens(); token++) {
                long i = token * channels + c;
                sum += dy.getDouble(i)
                        * operands.x().getDouble(i)
                        * operands.inverseRms().getDouble(token);
            }
            dw.setDouble(c, dw.getDouble(c) + sum);
        }
    }

    private static double inverseRms(NormOperands operands, long token, double epsilon) {
        int channels = operands.channels();
        double squares = 0;
        for (int c = 0; c < channels; c++) {
            double x = operands.x().getDouble(token * channels + c);
            squares += x * x;
        }
        return 1 / Math.sqrt(squares / channels + epsilon);
    }

    /** Reads r back, as stored, so that {@link #reapply} gives the same bits. */
    private static void apply(NormOperands operands, long token, CpuTensor weight, CpuTensor y) {
        int channels = operands.channels();
        double r = operands.inverseRms().getDouble(token);
        for (int c = 0; c < channels; c++) {
            long i = token * channels + c;
            y.setDouble(i, operands.x().getDouble(i) * r * weight.getDouble(c));
        }
    }
}
