package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.graph.Allocation;

/**
 * Memory of a queue in which what its repeated work takes has its places. It is in no books: what is taken in it is, as everything
 * else. While no such work is under way the device may take it back. Guarded by the device's memory.
 */
public final class FixedMemory {
  /** What has its place here. */
  public record Place(FixedMemory memory, Allocation take) {}

  private final PoolBlock block;
  private int taken;
  private boolean held = true;
  private boolean released;
  private boolean gone;

  FixedMemory(PoolBlock block) {
    this.block = block;
  }

  PoolBlock block() {
    return block;
  }

  /** From now on it stays; false where it is gone. */
  boolean hold() {
    held = !gone;
    return held;
  }

  /** From now on it need not stay. */
  void letGo() {
    held = false;
  }

  /** Is to go when nothing is taken in it. */
  void release() {
    held = false;
    released = true;
  }

  void take() {
    taken++;
  }

  void give() {
    taken--;
  }

  /** Whether nothing is taken in it. */
  boolean isEmpty() {
    return taken == 0;
  }

  /** Whether it can go, because nobody holds it. */
  boolean isIdle() {
    return !held && isEmpty();
  }

  /** Whether it can go, and nobody comes back for it. */
  boolean isOver() {
    return released && isEmpty();
  }

  /** It goes. */
  void go() {
    gone = true;
  }
}
