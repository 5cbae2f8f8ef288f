package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.devicecuda.internal.event.EventPool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * The driver's pool of memory: what is given back while others than its home still use it goes there when they are through, or when
 * it is needed. Guarded by the device's memory.
 */
public final class DriverPool {
  private final Context context;
  private final Runnable trim;
  private final EventPool events;
  /** The home of what threads without a queue take, and of those whose queue is closed. */
  private final Handles.Stream spare = new Handles.Stream();
  /** Given back, and not yet to the driver; in that order. */
  private final Deque<PoolBlock> returned = new ArrayDeque<>();
  private final Set<FixedMemory> fixed = new LinkedHashSet<>();
  private long returnedBytes;

  /** {@code trim}: gives what the pool keeps and nobody uses back to the driver. */
  public DriverPool(Context context, Runnable trim, EventPool events) {
    this.context = context;
    this.trim = trim;
    this.events = events;
    Result.check("cuStreamCreate", JCudaDriver.cuStreamCreate(spare, CUstream_flags.CU_STREAM_NON_BLOCKING));
  }

  /**
   * Takes memory.
   *
   * @param home null for none
   * @return empty where the GPU has none left
   */
  Optional<PoolBlock> take(long bytes, MemoryQueue home) {
    var block = new PoolBlock(context, events, bytes, home, spare);
    return bytes == 0 || allocate(block) ? Optional.of(block) : Optional.empty();
  }

  private boolean allocate(PoolBlock block) {
    int result = block.allocate();
    if (isLacking(result) && awaitReturned()) {
      result = block.allocate();
    }
    if (isLacking(result)) {
      // The pool may have enough, but in pieces, or of queues whose work has not ended.
      result = allocateAlone(block);
    }
    if (isLacking(result) && takeIdleBack()) {
      result = allocateAlone(block);
    }
    if (!isLacking(result)) {
      Result.check("cuMemAllocAsync", result);
    }
    return !isLacking(result);
  }

  private static boolean isLacking(int result) {
    return result == CUresult.CUDA_ERROR_OUT_OF_MEMORY;
  }

  private int allocateAlone(PoolBlock block) {
    context.synchronize();
    trim.run();
    return block.allocate();
  }

  /** Of what repeated work has for its next time. */
  long idleBytes() {
    return fixed.stream().filter(FixedMemory::isIdle).mapToLong(memory -> memory.block().bytes()).sum();
  }

  /** Whether repeated work has memory. */
  boolean hasFixed() {
    return !fixed.isEmpty();
  }

  /** Takes back what repeated work has for its next time; false where there is none. */
  boolean takeIdleBack() {
    var idle = fixed.stream().filter(FixedMemory::isIdle).toList();
    idle.forEach(this::go);
    awaitReturned();
    return !idle.isEmpty();
  }

  /** Takes memory as {@link #take}, for what has its place there. It is held. */
  Optional<FixedMemory> takeFixed(long bytes, MemoryQueue home) {
    // What comes there was all over the pool until now, which would keep it.
    awaitReturned();
    context.synchronize();
    trim.run();
    Optional<FixedMemory> memory = take(bytes, home).map(FixedMemory::new);
    memory.ifPresent(fixed::add);
    return memory;
  }

  /** Gives it back where nobody needs it any more. */
  void giveBackWhereOver(FixedMemory memory) {
    if (memory.isOver() && fixed.contains(memory)) {
      go(memory);
    }
  }

  private void go(FixedMemory memory) {
    memory.go();
    fixed.remove(memory);
    giveBack(memory.block());
  }

  void giveBack(PoolBlock block) {
    block.endUse();
    if (block.isUnused()) {
      block.free();
    } else {
      returned.add(block);
      returnedBytes += block.bytes();
    }
  }

  /** Of what was given back and is still in use. */
  long returnedBytes() {
    while (!returned.isEmpty() && returned.peek().isUnused()) {
      freeNext();
    }
    return returnedBytes;
  }

  /** Waits for what still uses memory that was given back; false where there is none. */
  boolean awaitReturned() {
    boolean any = !returned.isEmpty();
    while (!returned.isEmpty()) {
      returned.peek().awaitUses();
      freeNext();
    }
    return any;
  }

  private void freeNext() {
    PoolBlock block = returned.poll();
    returnedBytes -= block.bytes();
    block.free();
  }

  /** The queues are closed before, and all that was taken is given back. */
  void close() {
    for (FixedMemory memory : new ArrayList<>(fixed)) {
      go(memory);
    }
    awaitReturned();
    context.makeCurrent();
    Result.check("the end of the device's memory", JCudaDriver.cuStreamSynchronize(spare));
    Result.check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(spare));
    // For other processes: nobody in this one may ever ask for as much again.
    trim.run();
  }
}
