package io.hirundo.devicecuda.internal.repeated;

/** A time at which memory has its places, as long as it is taken and given back as planned. */
abstract sealed class PlacedPass extends Pass permits RecordingPass, RepeatingPass {
  final Outlet outlet;
  private final MemoryPlan memory;
  private int events;
  private int takes;

  PlacedPass(Outlet outlet, MemoryPlan memory) {
    this.outlet = outlet;
    this.memory = memory;
  }

  /** Calls so far. */
  abstract int calls();

  /** After a difference everything comes from the pool: a place may still be another's. */
  @Override
  public final Take take(long bytes) {
    int number = takes++;
    happens(MemoryPlan.Event.take(number, bytes, calls()));
    return new Take(this, number, bytes, differs() ? Take.IN_POOL : memory.offset(number));
  }

  @Override
  public final void give(Take take, boolean alone) {
    if (take.hasPlace()) {
      if (!alone) {
        differ("others use memory that was the queue's own");
      }
      happens(MemoryPlan.Event.give(take.number(), take.bytes(), calls()));
    }
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
