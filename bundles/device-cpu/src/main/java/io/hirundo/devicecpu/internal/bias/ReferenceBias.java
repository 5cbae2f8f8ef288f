package io.hirundo.devicecpu.internal.bias;

import io.hirundo.device.Queue;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.tensor.Tensor;

/** Biases an element at a time, in double arithmetic, for FP64, FP32 and BF16. */
public final class ReferenceBias implements BiasKernels {
    @Override
    public void add(Queue queue, Tensor biasN, Tensor xTM, long firstColumn) {
        var operands = BiasOperands.of("biasN", biasN, "xTM", xTM, firstColumn);
        for (long row = 0; row < operands.rows(); row++) {
            for (int n = 0; n < operands.count(); n++) {
                long i = operands.element(row) + n;
                operands.matrix()
                        .setDouble(
                                i,
                                operands.matrix().getDouble(i) + operands.bias().getDouble(n));
            }
        }
    }

    @Override
    public void addColumnSums(Queue queue, Tensor dyTM, long firstColumn, Tensor dBiasN) {
        var operands = BiasOperands.of("dBiasN", dBiasN, "dyTM", dyTM, firstColumn);
        for (int n = 0; n < operands.count(); n++) {
            double sum = 0;
            for (long row = 0; row < operands.rows(); row++) {
                sum += operands.matrix().getDouble(operands.element(row) + n);
            }
            operands.bias().setDouble(n, operands.bias().getDouble(n) + sum);
        }
    }
}
