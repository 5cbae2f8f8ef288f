package io.hirundo.devicecuda.internal.graph;

import java.util.ArrayList;
import java.util.List;

/** The first passes: observe which memory is allocated and freed between which calls. */
final class ObservationPass extends Pass {
    private final CaptureTarget outlet;
    private final List<MemoryPlan.Event> events = new ArrayList<>();
    private int takes;
    private int calls;

    ObservationPass(CaptureTarget outlet) {
        this.outlet = outlet;
    }

    @Override
    public void call(Call.Asked call) {
        outlet.submit(call);
        calls++;
    }

    @Override
    public Allocation take(long bytes) {
        var take = new Allocation(this, takes++, bytes, Allocation.IN_POOL);
        events.add(MemoryPlan.Event.take(take.number(), bytes, calls));
        return take;
    }

    @Override
    public void give(Allocation take, boolean alone) {
        if (alone && isOfThisThread()) {
            events.add(MemoryPlan.Event.give(take.number(), take.bytes(), calls));
        }
    }

    @Override
    public void cut() {}

    @Override
    public void end() {}

    List<MemoryPlan.Event> events() {
        return events;
    }
}
