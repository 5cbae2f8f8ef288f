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
  private final DeviceMemory home;
  private final EventPool events;
  private final KernelClock clock;
  private final Consumer<CudaQueue> onClose;
  private final Handles.Stream stream = new Handles.Stream();
  private final Launch launch;
  private volatile boolean closed;

  /** {@code home}: the memory of the queue's device. */
  CudaQueue(
      Context context,
      DirectCalls calls,
      DeviceMemory home,
      EventPool events,
      KernelClock clock,
      Consumer<CudaQueue> onClose) {
    this.context = context;
    this.home = home;
    this.events = events;
    this.clock = clock;
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
    return cuda;
  }

  /** Begins a launch of a kernel; ends with {@link Launch#run}. */
  Launch launch(KernelModule module, String kernel) {
    return launch.begin(module.function(kernel));
  }

  /** Launches what its {@code toString} names, and times it where somebody asked for that. */
  void launch(Object kernel, Runnable launch) {
    clock.launch(kernel, this, launch);
  }

  Handles.Stream stream() {
    return stream;
  }

  boolean isOf(DeviceMemory memory) {
    return memory == home;
  }

  /** Has something done with the stream; false where the queue is closed, and with that has no work any more. */
  synchronized boolean whileOpen(Consumer<Handles.Stream> something) {
    if (!closed) {
      something.accept(stream);
    }
    return !closed;
  }

  /** The end of its work so far, or null where the queue is closed. To be forgotten by {@link #forget}. */
  synchronized CudaEvent mark() {
    return closed ? null : events.mark(stream);
  }

  /** Whether its work up to a mark has ended. */
  synchronized boolean isPast(CudaEvent mark) {
    return closed || mark.hasHappened();
  }

  /** Later work of another queue waits for this one's work up to a mark. */
  synchronized void blocks(CudaQueue other, CudaEvent mark) {
    if (!closed) {
      other.makeCurrent();
      mark.blocks(other.stream);
    }
  }

  /** Blocks the calling thread until its work up to a mark has ended. */
  synchronized void awaitEnd(CudaEvent mark) {
    if (!closed) {
      mark.await();
    }
  }

  void forget(CudaEvent mark) {
    events.forget(mark);
  }

  /** Of the calling thread. What may change threads waits for locks: to be called after the last of them, before the driver is. */
  void makeCurrent() {
    context.makeCurrent();
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
  public synchronized void close() {
    if (!closed) {
      try {
        drain();
      } finally {
        closed = true;
        onClose.accept(this);
        context.makeCurrent();
        Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
      }
    }
  }
}
