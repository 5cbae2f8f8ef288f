package io.hirundo.devicecuda.internal.graph;

/** A time at which memory has its places, as long as it is taken and given back as planned. */
abstract sealed class PlacedPass extends Pass permits RecordingPass, ReplayPass {
  final CaptureTarget outlet;
  private final MemoryPlan memory;
  private final PlacedRanges places;
  private int events;
  private int takes;
  private boolean isShared;

  PlacedPass(CaptureTarget outlet, MemoryPlan memory) {
    this.outlet = outlet;
    this.memory = memory;
    this.places = new PlacedRanges(memory.bytes());
  }

  /** Calls so far. */
  abstract int calls();

  /** After a difference it is wherever nobody's memory is: in the pool there may be no room beside that of all places. */
  @Override
  public final Allocation take(long bytes) {
    int number = takes++;
    happens(MemoryPlan.Event.take(number, bytes, calls()));
    long offset = differs() ? places.takeAny(bytes) : memory.offset(number);
    var take = new Allocation(this, number, bytes, offset);
    if (take.hasPlace() && !differs()) {
      places.take(offset, bytes);
    }
    return take;
  }

  @Override
  public final void give(Allocation take, boolean alone) {
    if (take.hasPlace()) {
      if (alone) {
        places.give(take.offsetBytes());
      } else {
        // They may still be at it: the place is nobody else's this time.
        isShared = true;
        differ("others use memory that was the queue's own");
      }
      happens(MemoryPlan.Event.give(take.number(), take.bytes(), calls()));
    }
  }

  /** Whether others than the queue have used memory that has its place. */
  boolean isShared() {
    return isShared;
  }

  private void happens(MemoryPlan.Event now) {
    if (differs()) {
      return;
    }
    if (!isOfThisThread()) {
      differ("another thread's " + now);
    } else if (events == memory.events().size()) {
      differ(now + ", and before nothing was any more");
    } else if (!memory.events().get(events).equals(now)) {
      differ(now + ", and before " + memory.events().get(events));
    } else {
      events++;
    }
  }

  @Override
  public void end() {
    if (events < memory.events().size()) {
      differ("it ends after " + calls() + " calls, and before " + memory.events().get(events));
    }
  }
}
