package io.hirundo.checkpointdcp.internal;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Tensors in host memory and copies; no kernels. */
final class HostDevice implements Device {
  /** A tensor whose bytes tests can see. */
  record HostTensor(MemorySegment bytes, Shape shape, DType dtype) implements Tensor {
    @Override
    public Tensor view(long elementOffset, Shape window) {
      return new HostTensor(
          bytes.asSlice(elementOffset * dtype.byteSize(), window.byteSize(dtype)), window, dtype);
    }

    @Override
    public void close() {}
  }

  private static final class HostTransfer implements Transfer {
    @Override
    public void upload(Queue queue, MemorySegment host, Tensor tensor) {
      MemorySegment.copy(host, 0, ((HostTensor) tensor).bytes(), 0, tensor.byteSize());
    }

    @Override
    public void download(Queue queue, Tensor tensor, MemorySegment host) {
      MemorySegment.copy(((HostTensor) tensor).bytes(), 0, host, 0, tensor.byteSize());
    }
  }

  private static final class HostQueue implements Queue {
    @Override
    public Event record() {
      return Event.PAST;
    }

    @Override
    public void await(Event event) {}

    @Override
    public void drain() {}

    @Override
    public void close() {}
  }

  static HostTensor tensor(Shape shape, DType dtype) {
    return new HostTensor(MemorySegment.ofArray(new byte[Math.toIntExact(shape.byteSize(dtype))]), shape, dtype);
  }

  @Override
  public DeviceInfo info() {
    return new DeviceInfo("host", 0, "host", "none", Long.MAX_VALUE);
  }

  @Override
  public boolean computes() {
    return true;
  }

  @Override
  public Queue newQueue(String purpose) {
    return new HostQueue();
  }

  @Override
  public Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
    return tensor(shape, dtype);
  }

  @Override
  public Kernels kernels() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Transfer transfer() {
    return new HostTransfer();
  }

  @Override
  public void close() {}
}
