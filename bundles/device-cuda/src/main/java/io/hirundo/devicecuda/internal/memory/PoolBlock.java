package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.devicecuda.internal.event.EventPool;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * Memory of the driver's pool, taken and given back in the order of one queue, its home. Another queue waits for the taking before it
 * uses the memory, and the memory is not given to the driver before the work of others with it has ended. Guarded by the device's
 * memory.
 */
final class PoolBlock {
  /** The work of a queue that uses memory which was given back, and its end. */
  private record Use(MemoryQueue queue, CudaEvent end) {}

  private final Context context;
  private final EventPool events;
  private final long bytes;
  private final Handles.Memory memory = new Handles.Memory();
  /** Null for none. */
  private final MemoryQueue home;
  private final Handles.Stream spare;

  private CudaEvent taken;
  /** Other queues than its home. */
  private final Set<MemoryQueue> users = new HashSet<>(2);

  private final Deque<Use> uses = new ArrayDeque<>(0);

  /**
   * Nothing is taken yet; of no bytes nothing ever is.
   *
   * @param home null for none
   * @param spare for a home that is none, or closed
   */
  PoolBlock(Context context, EventPool events, long bytes, MemoryQueue home, Handles.Stream spare) {
    this.context = context;
    this.events = events;
    this.bytes = bytes;
    this.home = home;
    this.spare = spare;
  }

  long bytes() {
    return bytes;
  }

  /** Takes the memory; the driver's result. */
  int allocate() {
    var result = new int[1];
    atHome(
        stream -> {
          context.makeCurrent();
          result[0] = JCudaDriver.cuMemAllocAsync(memory, bytes, stream);
          taken = result[0] == CUresult.CUDA_SUCCESS ? events.mark(stream) : null;
        });
    return result[0];
  }

  /** Has something done in the order of its home; of a home that is closed all work has ended. */
  private void atHome(Consumer<Handles.Stream> something) {
    if (home == null || !home.whileOpen(something)) {
      something.accept(spare);
    }
  }

  /** Where it begins; 0 for no bytes. */
  long address() {
    return memory.address();
  }

  CUdeviceptr pointer(long furtherBytes) {
    return memory.withByteOffset(furtherBytes);
  }

  /** Another queue's work uses it too. */
  void use(MemoryQueue queue) {
    if (queue != home && taken != null && users.add(queue)) {
      Handles.Stream stream = queue.stream();
      queue.makeCurrent();
      taken.blocks(stream);
    }
  }

  /** Whether no queue but its home has used it. */
  boolean isHomesAlone() {
    return users.isEmpty();
  }

  /** Nobody begins to use it any more. */
  void endUse() {
    for (MemoryQueue user : users) {
      CudaEvent end = user.mark();
      if (end != null) {
        uses.add(new Use(user, end));
      }
    }
  }

  /** Whether the work of all queues but its home has ended. */
  boolean isUnused() {
    while (!uses.isEmpty() && uses.peek().queue().isPast(uses.peek().end())) {
      Use past = uses.poll();
      past.queue().forget(past.end());
    }
    return uses.isEmpty();
  }

  void awaitUses() {
    for (Use use : uses) {
      use.queue().awaitEnd(use.end());
      use.queue().forget(use.end());
    }
    uses.clear();
  }

  /** Gives it to the driver. */
  void free() {
    if (bytes > 0) {
      atHome(
          stream -> {
            context.makeCurrent();
            Result.check("cuMemFreeAsync", JCudaDriver.cuMemFreeAsync(memory, stream));
          });
      events.forget(taken);
    }
  }
}
