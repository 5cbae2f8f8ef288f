package io.hirundo.devicecpu.internal.threads;

import io.hirundo.devicecpu.internal.memory.Memory;

/**
 * A worker's scratch memory. It belongs to one task at a time and is empty when a task begins; its contents are
 * undefined. Its size is part of the device's workspace, so taking from it accounts for nothing more.
 */
public final class Scratch {
    /** Of every worker: the kernels choose their blocks for it. */
    public static final long WORKER_BYTES = 2L << 20;

    private final long address;
    private final long bytes;
    private long used;

    public Scratch(long address, long bytes) {
        this.address = address;
        this.bytes = bytes;
    }

    /**
     * Takes memory until the task ends.
     *
     * @return an address that is a multiple of 64
     * @throws IllegalStateException when less is left: the kernel's blocks are too large
     */
    public long take(long takenBytes) {
        long rounded = (takenBytes + Memory.ALIGNMENT_BYTES - 1) & -Memory.ALIGNMENT_BYTES;
        if (takenBytes < 0 || rounded > bytes - used) {
            throw new IllegalStateException("a kernel wants " + takenBytes + " bytes of scratch memory, "
                    + (bytes - used) + " of " + bytes + " are left");
        }
        long taken = address + used;
        used += rounded;
        return taken;
    }

    /** All that a task may take. */
    public long bytes() {
        return bytes;
    }

    /** Makes all of it available again. */
    public void clear() {
        used = 0;
    }
}
