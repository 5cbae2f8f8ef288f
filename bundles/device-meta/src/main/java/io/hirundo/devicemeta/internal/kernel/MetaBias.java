package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.tensor.Tensor;

/** Biases: one operation per element of their columns. */
record MetaBias(Work work) implements BiasKernels {
    @Override
    public void add(Queue queue, Tensor biasN, Tensor xTM, long firstColumn) {
        book(queue, "bias.add", "biasN", biasN, "xTM", xTM, firstColumn);
    }

    @Override
    public void addColumnSums(Queue queue, Tensor dyTM, long firstColumn, Tensor dBiasN) {
        book(queue, "bias.addColumnSums", "dBiasN", dBiasN, "dyTM", dyTM, firstColumn);
    }

    private void book(
            Queue queue,
            String kernel,
            String biasName,
            Tensor biasN,
            String matrixName,
            Tensor matrixTM,
            long firstColumn) {
        MetaTensor matrix = MetaTensor.CHECK.floating(matrixName, matrixTM);
        MetaTensor bias = MetaTensor.CHECK.vector(
                biasName,
                biasN,
                biasN.elements(),
                matrix.dtype(),
                matrix.dtype().statisticsType());
        long columns = matrix.shape().columns();
        if (firstColumn < 0 || firstColumn > columns - bias.elements()) {
            throw new IllegalArgumentException(biasName + " is for columns " + firstColumn + " to "
                    + (firstColumn + bias.elements()) + " of " + matrixName + ", which has " + columns);
        }
        long elements = matrix.shape().rows() * bias.elements();
        work.bookBytes(queue, kernel, elements, elements * matrix.dtype().byteSize() + bias.byteSize());
    }
}
