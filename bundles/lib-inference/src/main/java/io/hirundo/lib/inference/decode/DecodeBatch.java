package io.hirundo.lib.inference.decode;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** Tokens of some sequences that follow cached ones, on the device. They have no labels: the loss of such a batch is undefined. */
final class DecodeBatch implements AutoCloseable {
    private final MicroBatch batch;

    /**
     * Uploads the tokens.
     *
     * @param tokensBS as many for each sequence
     * @param firstB position of each sequence's first one
     */
    DecodeBatch(Device device, Queue queue, int[][] tokensBS, int... firstB) {
        int count = tokensBS[0].length;
        int[] tokens = new int[tokensBS.length * count];
        int[] positions = new int[tokens.length];
        for (int sequence = 0; sequence < tokensBS.length; sequence++) {
            System.arraycopy(tokensBS[sequence], 0, tokens, sequence * count, count);
            for (int i = 0; i < count; i++) {
                positions[sequence * count + i] = firstB[sequence] + i;
            }
        }
        Tensor tokensT = upload(device, queue, tokens);
        Tensor none = tokensT.rows(0, 0);
        batch = new MicroBatch(
                tokensBS.length, count, 1, tokensT, none, none, upload(device, queue, positions), Optional.empty());
    }

    MicroBatch batch() {
        return batch;
    }

    @Override
    public void close() {
        batch.tokensT().close();
        batch.positionsT().close();
    }

    private static Tensor upload(Device device, Queue queue, int[] values) {
        Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(values.length), DType.INT32);
        HostCopies.upload(device, queue, values, tensor);
        return tensor;
    }
}
