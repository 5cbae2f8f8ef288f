package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.MicroBatch;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A microbatch's tensors on the device. */
final class DeviceBatch implements AutoCloseable {
  private final MicroBatch batch;

  /** Uploads token rows of equal length, each one token longer than a sequence. */
  DeviceBatch(Device device, Queue queue, List<int[]> rows) {
    int sequences = rows.size();
    int sequenceTokens = rows.getFirst().length - 1;
    int tokens = sequences * sequenceTokens;
    int[] inputs = new int[tokens];
    int[] labels = new int[tokens];
    int[] positions = new int[tokens];
    for (int b = 0; b < sequences; b++) {
      System.arraycopy(rows.get(b), 0, inputs, b * sequenceTokens, sequenceTokens);
      System.arraycopy(rows.get(b), 1, labels, b * sequenceTokens, sequenceTokens);
      for (int s = 0; s < sequenceTokens; s++) {
        positions[b * sequenceTokens + s] = s;
      }
    }
    float[] weights = new float[tokens];
    Arrays.fill(weights, 1);
    batch =
        new MicroBatch(
            sequences,
            sequenceTokens,
            1,
            upload(device, queue, inputs),
            upload(device, queue, labels),
            upload(device, queue, weights),
            upload(device, queue, positions));
  }

  MicroBatch batch() {
    return batch;
  }

  @Override
  public void close() {
    batch.tokensT().close();
    batch.labelsT().close();
    batch.lossWeightsT().close();
    batch.positionsT().close();
  }

  private static Tensor upload(Device device, Queue queue, int[] values) {
    Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(values.length), DType.INT32);
    HostCopies.upload(device, queue, values, tensor);
    return tensor;
  }

  private static Tensor upload(Device device, Queue queue, float[] values) {
    Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(values.length), DType.FP32);
    HostCopies.upload(device, queue, values, tensor);
    return tensor;
  }
}
