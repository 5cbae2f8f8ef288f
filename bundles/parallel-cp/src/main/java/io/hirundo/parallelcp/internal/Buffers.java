package io.hirundo.parallelcp.internal;

import io.hirundo.device.Device;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Buffers for travelling keys and values, used again as soon as they are given back. Those that are out when a pass fails stay
 * with the device until it closes: a message may still read or write them.
 */
final class Buffers implements AutoCloseable {
  private final Device device;
  private final Shape shape;
  private final DType dtype;
  private final Deque<KeyValue> free = new ArrayDeque<>();

  /** Buffers shaped as {@code like}. */
  Buffers(Device device, KeyValue like) {
    this.device = device;
    this.shape = like.keyNGsD().shape();
    this.dtype = like.keyNGsD().dtype();
  }

  KeyValue take() {
    return free.isEmpty() ? KeyValue.allocate(device, shape, dtype) : free.pop();
  }

  void giveBack(KeyValue buffer) {
    free.push(buffer);
  }

  @Override
  public void close() {
    free.forEach(KeyValue::close);
    free.clear();
  }
}
