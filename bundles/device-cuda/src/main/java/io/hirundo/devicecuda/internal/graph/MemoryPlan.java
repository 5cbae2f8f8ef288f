package io.hirundo.devicecuda.internal.graph;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Fixed offsets for memory that captured work allocates and frees in the same order each time. Memory that outlives the work, or that other
 * queues use, has no fixed offset.
 *
 * @param bytes total size of the offsets' memory
 * @param mostBytes maximum of the fixed-offset memory that is allocated at a time
 */
record MemoryPlan(List<Event> events, List<Long> offsets, long bytes, long mostBytes) {
    /**
     * An allocation or a free.
     *
     * @param take number of the allocation
     * @param atCall number of calls before it
     */
    record Event(boolean isTake, int take, long bytes, int atCall) {
        static Event take(int take, long bytes, int atCall) {
            return new Event(true, take, bytes, atCall);
        }

        static Event give(int take, long bytes, int atCall) {
            return new Event(false, take, bytes, atCall);
        }

        /** For example {@code 512 bytes are taken after 3 calls}. */
        @Override
        public String toString() {
            return bytes + " bytes are " + (isTake ? "taken" : "given back") + " after " + atCall + " calls";
        }
    }

    /** Allocations that are not freed within the events get no offset. */
    static MemoryPlan of(List<Event> events) {
        Set<Integer> given = new HashSet<>();
        int takes = 0;
        for (Event event : events) {
            if (event.isTake()) {
                takes++;
            } else {
                given.add(event.take());
            }
        }
        var offsets = new long[takes];
        var room = new AddressSpace();
        long live = 0;
        long most = 0;
        for (Event event : events) {
            if (!given.contains(event.take())) {
                offsets[event.take()] = Allocation.IN_POOL;
            } else if (event.isTake()) {
                offsets[event.take()] = room.take(event.bytes());
                live += event.bytes();
                most = Math.max(most, live);
            } else {
                room.give(offsets[event.take()], event.bytes());
                live -= event.bytes();
            }
        }
        return new MemoryPlan(
                List.copyOf(events), Arrays.stream(offsets).boxed().toList(), room.bytes(), most);
    }

    long offset(int take) {
        return offsets.get(take);
    }
}
