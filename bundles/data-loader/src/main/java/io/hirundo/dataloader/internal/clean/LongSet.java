package io.hirundo.dataloader.internal.clean;

/** A set of hashes, open-addressed: a text of some gigabytes has more of them than boxed numbers would fit into memory. */
final class LongSet {
    private static final int LEAST_SLOTS = 1 << 10;

    /** 0 marks a free slot; the hash 0 counts as 1. */
    private long[] slots = new long[LEAST_SLOTS];

    private int size;

    boolean contains(long hash) {
        return slots[slot(slots, hash)] != 0;
    }

    void add(long hash) {
        int slot = slot(slots, hash);
        if (slots[slot] != 0) {
            return;
        }
        slots[slot] = hash == 0 ? 1 : hash;
        if (++size > slots.length / 2) {
            grow();
        }
    }

    private void grow() {
        var larger = new long[Math.multiplyExact(slots.length, 2)];
        for (long hash : slots) {
            if (hash != 0) {
                larger[slot(larger, hash)] = hash;
            }
        }
        slots = larger;
    }

    /** Where the hash is, or would be. */
    private static int slot(long[] slots, long hash) {
        long wanted = hash == 0 ? 1 : hash;
        int slot = (int) (wanted ^ wanted >>> 32) & slots.length - 1;
        while (slots[slot] != 0 && slots[slot] != wanted) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }
}
