package io.hirundo.devicecuda.internal.graph;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Places for memory that work takes and gives back, always in the same order: what has a place is there each time. What outlives the
 * work, or others use too, has none.
 *
 * @param bytes of all places together
 * @param mostBytes that have a place and are taken at a time
 */
record MemoryPlan(List<Event> events, List<Long> offsets, long bytes, long mostBytes) {
  /**
   * Memory is taken or given back.
   *
   * @param take number of the taking
   * @param atCall calls before it
   */
  record Event(boolean isTake, int take, long bytes, int atCall) {
    static Event take(int take, long bytes, int atCall) {
      return new Event(true, take, bytes, atCall);
    }

    static Event give(int take, long bytes, int atCall) {
      return new Event(false, take, bytes, atCall);
    }

    /** As in {@code 512 bytes are taken after 3 calls}. */
    @Override
    public String toString() {
      return bytes + " bytes are " + (isTake ? "taken" : "given back") + " after " + atCall + " calls";
    }
  }

  /** Without those that are given back in the events nothing has a place. */
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
    return new MemoryPlan(List.copyOf(events), Arrays.stream(offsets).boxed().toList(), room.bytes(), most);
  }

  long offset(int take) {
    return offsets.get(take);
  }
}
