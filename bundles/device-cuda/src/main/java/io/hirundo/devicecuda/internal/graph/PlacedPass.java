package io.hirundo.devicecuda.internal.graph;

/** A pass with memory at fixed offsets, as long as allocations follow the plan. */
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

    /** Number of calls so far. */
    abstract int calls();

    /** After a difference, memory is placed in any free range: the pool may have no room in addition to the fixed memory. */
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
                // Others may still use the range, so it stays unused in this pass.
                isShared = true;
                differ("others use memory that was the queue's own");
            }
            happens(MemoryPlan.Event.give(take.number(), take.bytes(), calls()));
        }
    }

    /** Whether other queues have used memory at a fixed offset. */
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
            differ("it ends after " + calls() + " calls, and before "
                    + memory.events().get(events));
        }
    }
}
