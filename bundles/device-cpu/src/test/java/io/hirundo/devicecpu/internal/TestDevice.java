package io.hirundo.devicecpu.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.Random;
import java.util.function.LongToDoubleFunction;

/** A device for kernel tests: opened, with a queue, closed with all its tensors. */
public final class TestDevice implements AutoCloseable {
  public final Device device;
  public final Queue queue;

  /**
   * @param kernels {@code vector} or {@code reference}
   */
  public TestDevice(int workers, String kernels) {
    device = new CpuBackendFactory().create(new CpuOptions(workers, kernels)).open(0, new RecordingLedger());
    queue = device.newQueue("test");
  }

  /** A tensor with a value for each index. */
  public CpuTensor tensor(DType dtype, LongToDoubleFunction value, long... dims) {
    CpuTensor tensor = (CpuTensor) device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), dtype);
    for (long i = 0; i < tensor.elements(); i++) {
      tensor.setDouble(i, value.applyAsDouble(i));
    }
    return tensor;
  }

  /** A tensor of normally distributed values, the same for the same seed. */
  public CpuTensor random(DType dtype, long seed, long... dims) {
    Random random = new Random(seed);
    return tensor(dtype, i -> random.nextGaussian(), dims);
  }

  /** The values of a tensor. */
  public static double[] values(CpuTensor tensor) {
    double[] values = new double[Math.toIntExact(tensor.elements())];
    for (int i = 0; i < values.length; i++) {
      values[i] = tensor.getDouble(i);
    }
    return values;
  }

  @Override
  public void close() {
    queue.close();
    device.close();
  }
}
