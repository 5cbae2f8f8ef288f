package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.devicecuda.internal.graph.Allocation;
import java.util.function.Consumer;

/** A queue as memory sees it: the order in which memory is allocated and freed, and its marks. Thread-safe. */
public interface MemoryQueue {
  /** The stream, behind all that the queue was given so far. */
  Handles.Stream stream();

  /** Makes the queue's context that of the calling thread. To be called after the last lock, before the driver is called. */
  void makeCurrent();

  boolean isOf(DeviceMemory memory);

  /** Has something done with the stream; false where the queue is closed, and with that has no work any more. */
  boolean whileOpen(Consumer<Handles.Stream> something);

  /** The end of its work so far, or null where the queue is closed. To be forgotten by {@link #forget}. */
  CudaEvent mark();

  /** Whether its work up to a mark has ended. */
  boolean isPast(CudaEvent mark);

  /** Later work of another queue waits for this one's work up to a mark. */
  void blocks(MemoryQueue other, CudaEvent mark);

  /** Later work of this queue waits for a mark of another, and so may what it was given before and keeps back. */
  void waitFor(CudaEvent mark);

  /** Blocks the calling thread until its work up to a mark has ended. */
  void awaitEnd(CudaEvent mark);

  void forget(CudaEvent mark);

  /** Memory is taken for the queue; null where no CUDA graphs are captured or replayed now. */
  FixedMemory.Place takeRepeated(long bytes);

  /** Memory of {@link #takeRepeated} is given back. {@code alone}: whether no other queue has used it. */
  void giveRepeated(Allocation take, boolean alone);
}
