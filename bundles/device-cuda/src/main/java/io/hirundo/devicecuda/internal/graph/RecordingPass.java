package io.hirundo.devicecuda.internal.graph;

import java.util.ArrayList;
import java.util.List;

/** The first pass with memory at fixed offsets: records the calls. */
final class RecordingPass extends PlacedPass {
    private final List<CallSlot> slots = new ArrayList<>();

    RecordingPass(CaptureTarget outlet, MemoryPlan memory) {
        super(outlet, memory);
    }

    @Override
    public void call(Call.Asked call) {
        slots.add(new CallSlot(call.kept()));
        outlet.submit(call);
    }

    @Override
    int calls() {
        return slots.size();
    }

    /** Ignored, because the next pass sees every cut. */
    @Override
    public void cut() {}

    List<CallSlot> slots() {
        return slots;
    }
}
