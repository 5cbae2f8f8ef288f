package io.hirundo.devicecuda.internal;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.DirectCalls;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.KernelModule;
import io.hirundo.devicecuda.internal.driver.Result;
import java.util.function.Consumer;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/** A stream. Closing it waits for its work. */
public final class CudaQueue implements Queue {
  private final Context context;
  private final EventPool events;
  private final Consumer<CudaQueue> onClose;
  private final Handles.Stream stream = new Handles.Stream();
  private final Launch launch;
  private long knownAllocations;
  private volatile boolean closed;

  CudaQueue(Context context, DirectCalls calls, EventPool events, Consumer<CudaQueue> onClose) {
    this.context = context;
    this.events = events;
    this.onClose = onClose;
    this.launch = new Launch(calls, this);
    context.makeCurrent();
    Result.check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
  }

  /** What a kernel was given, checked. */
  static CudaQueue of(Queue queue) {
    if (!(queue instanceof CudaQueue cuda)) {
      throw new IllegalArgumentException("queue is " + (queue == null ? "null" : "one of another device: " + queue.getClass().getName()));
    }
    if (cuda.closed) {
      throw new IllegalStateException("the queue was used after it was closed");
    }
    cuda.context.makeCurrent();
    return cuda;
  }

  /** Begins a launch of a kernel; ends with {@link Launch#run}. */
  Launch launch(KernelModule module, String kernel) {
    return launch.begin(module.function(kernel));
  }

  Handles.Stream stream() {
    return stream;
  }

  boolean isClosed() {
    return closed;
  }

  /** The last allocation of the device that this queue's work comes after; see {@link DeviceMemory}. */
  long knownAllocations() {
    return knownAllocations;
  }

  void knowsAllocations(long number) {
    knownAllocations = number;
  }

  @Override
  public Event record() {
    return events.record(stream);
  }

  @Override
  public void await(Event event) {
    if (event instanceof CudaEvent cuda && cuda.isOf(events)) {
      context.makeCurrent();
      cuda.blocks(stream);
    } else {
      event.await();
    }
  }

  @Override
  public void drain() {
    context.makeCurrent();
    Result.check("the work of a queue", JCudaDriver.cuStreamSynchronize(stream));
  }

  @Override
  public void close() {
    if (!closed) {
      try {
        drain();
      } finally {
        closed = true;
        onClose.accept(this);
        Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
      }
    }
  }
}
