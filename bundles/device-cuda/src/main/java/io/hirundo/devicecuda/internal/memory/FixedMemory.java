package io.hirundo.devicecuda.internal.memory;

import io.hirundo.devicecuda.internal.graph.Allocation;

/**
 * Memory of a queue for the fixed offsets of its captured work. The ledger does not count it, but counts the allocations in it like all
 * others. While the work is not running, the device may reclaim the memory. Guarded by the device's memory.
 */
public final class FixedMemory {
    /** An allocation at a fixed offset in this memory. */
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

    /** Holds the memory; false if it was reclaimed. */
    boolean hold() {
        held = !gone;
        return held;
    }

    /** Allows the memory to be reclaimed. */
    void letGo() {
        held = false;
    }

    /** Frees the memory as soon as nothing is allocated in it. */
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

    /** Whether nothing is allocated in it. */
    boolean isEmpty() {
        return taken == 0;
    }

    /** Whether it can be reclaimed, because it is not held. */
    boolean isIdle() {
        return !held && isEmpty();
    }

    /** Whether it can be freed and is not needed again. */
    boolean isOver() {
        return released && isEmpty();
    }

    /** Marks the memory as freed. */
    void go() {
        gone = true;
    }
}
