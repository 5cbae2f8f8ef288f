package io.hirundo.devicecuda.internal;

import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/**
 * Copies through two buffers of page-locked memory by turns, so that the GPU copies one while the host fills or empties the
 * other. An upload returns when the last piece is in a buffer, a download when it is there. One at a time. Thread-safe.
 */
final class CudaTransfer implements Transfer, AutoCloseable {
  static final long BUFFER_BYTES = 4L << 20;

  private final EventPool events;
  private Buffer[] buffers;

  CudaTransfer(EventPool events) {
    this.events = events;
  }

  /** Page-locked memory and the end of its last use. */
  private static final class Buffer {
    final Pointer pointer = new Pointer();
    final MemorySegment memory;
    CudaEvent lastUse;

    Buffer() {
      Result.check("cuMemHostAlloc", JCudaDriver.cuMemHostAlloc(pointer, BUFFER_BYTES, 0));
      memory = MemorySegment.ofBuffer(pointer.getByteBuffer(0, BUFFER_BYTES));
    }

    void awaitLastUse() {
      if (lastUse != null) {
        lastUse.await();
      }
    }
  }

  @Override
  public synchronized void upload(Queue queue, MemorySegment host, Tensor tensor) {
    CudaTensor to = checked(host, tensor);
    CudaQueue cuda = CudaQueue.of(queue);
    long bytes = to.byteSize();
    for (long at = 0, turn = 0; at < bytes; at += BUFFER_BYTES, turn++) {
      Buffer buffer = buffer(cuda, turn);
      long piece = Math.min(BUFFER_BYTES, bytes - at);
      buffer.awaitLastUse();
      MemorySegment.copy(host, at, buffer.memory, 0, piece);
      CUdeviceptr target = to.pointer(cuda, at);
      cuda.makeCurrent();
      Result.check("cuMemcpyHtoDAsync", JCudaDriver.cuMemcpyHtoDAsync(target, buffer.pointer, piece, cuda.stream()));
      buffer.lastUse = events.record(cuda.stream());
    }
  }

  @Override
  public synchronized void download(Queue queue, Tensor tensor, MemorySegment host) {
    CudaTensor from = checked(host, tensor);
    CudaQueue cuda = CudaQueue.of(queue);
    long bytes = from.byteSize();
    fetch(cuda, from, 0);
    for (long at = 0, turn = 0; at < bytes; at += BUFFER_BYTES, turn++) {
      fetch(cuda, from, turn + 1);
      Buffer buffer = buffer(cuda, turn);
      buffer.awaitLastUse();
      MemorySegment.copy(buffer.memory, 0, host, at, Math.min(BUFFER_BYTES, bytes - at));
    }
  }

  /** Begins to copy a piece into a buffer, if the tensor has that many. */
  private void fetch(CudaQueue queue, CudaTensor from, long turn) {
    long at = turn * BUFFER_BYTES;
    long piece = Math.min(BUFFER_BYTES, from.byteSize() - at);
    if (piece > 0) {
      Buffer buffer = buffer(queue, turn);
      buffer.awaitLastUse();
      CUdeviceptr source = from.pointer(queue, at);
      queue.makeCurrent();
      Result.check("cuMemcpyDtoHAsync", JCudaDriver.cuMemcpyDtoHAsync(buffer.pointer, source, piece, queue.stream()));
      buffer.lastUse = events.record(queue.stream());
    }
  }

  private Buffer buffer(CudaQueue queue, long turn) {
    if (buffers == null) {
      queue.makeCurrent();
      buffers = new Buffer[] {new Buffer(), new Buffer()};
    }
    return buffers[(int) (turn % buffers.length)];
  }

  private static CudaTensor checked(MemorySegment host, Tensor tensor) {
    CudaTensor cuda = Operands.of("tensor", tensor);
    if (host.byteSize() < cuda.byteSize()) {
      throw new IllegalArgumentException(
          "host holds " + host.byteSize() + " bytes, tensor " + cuda + " needs " + cuda.byteSize());
    }
    return cuda;
  }

  @Override
  public synchronized void close() {
    if (buffers != null) {
      events.makeCurrent();
      for (Buffer buffer : buffers) {
        Result.check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(buffer.pointer));
      }
      buffers = null;
    }
  }
}
