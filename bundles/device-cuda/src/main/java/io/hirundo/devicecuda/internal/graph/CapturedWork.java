package io.hirundo.devicecuda.internal.graph;

import io.hirundo.DeviceException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Captures repeated work of a queue in CUDA graphs. Two equal passes show the memory that the work needs. The next pass, with memory at
 * fixed offsets, records the calls, and another one shows which operands are the same each time. From then on these calls are launched as
 * graphs while the sequence stays the same. To be used by one thread at a time.
 */
public final class CapturedWork implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CapturedWork.class);

    /** Number of captures with fewer than {@link #WORTH_IT} replays, after which the work is no longer captured. */
    private static final int MAX_CAPTURES = 4;

    /** Number of different memory sequences that are remembered until one occurs again. */
    private static final int MAX_SEEN = 4;

    /** Number of replays that make another capture worthwhile. */
    private static final int WORTH_IT = 8;

    private final String name;
    private final CaptureTarget outlet;
    /** Memory sequences of earlier passes. */
    private final Set<List<MemoryPlan.Event>> seen = new HashSet<>();
    /** Null until it is known. */
    private MemoryPlan memory;
    /** Null until the calls are recorded. */
    private List<CallSlot> slots;
    /** Null until the graphs exist. */
    private List<GraphSegment> pieces;

    private int timesInGraphs;
    /** Whether the last pass differed. */
    private boolean differed;

    /** Whether that pass changed slots, so that segments must be rebuilt. */
    private boolean hasChanged;

    private int beginnings;
    private boolean givenUp;

    public CapturedWork(String name, CaptureTarget outlet) {
        this.name = name;
        this.outlet = outlet;
    }

    /** Starts a pass; null if it is not observed. */
    public Pass begin() {
        if (memory != null && !outlet.hold()) {
            recapture("the memory of its graphs was needed for others");
        }
        if (givenUp) {
            return null;
        }
        if (memory == null) {
            return new ObservationPass(outlet);
        }
        return slots == null
                ? new RecordingPass(outlet, memory)
                : new ReplayPass(outlet, memory, slots, pieces == null ? List.of() : pieces);
    }

    /** Evaluates a pass that has ended. */
    public void conclude(Pass pass) {
        switch (pass) {
            case ObservationPass learning -> learn(learning.events());
            case PlacedPass other
            when other.differs() -> {
                if (isToleratedOnce(other)) {
                    LOG.debug("{}: the kernel sequence differs in this pass: {}", name, other.difference());
                    outlet.letGo();
                    differed = true;
                    hasChanged |= other instanceof ReplayPass repeating && repeating.hasChanged();
                } else {
                    recapture(other.difference());
                }
            }
            case RecordingPass recording -> {
                slots = recording.slots();
                outlet.letGo();
                differed = false;
            }
            case ReplayPass repeating -> {
                outlet.letGo();
                differed = false;
                makePieces(repeating);
            }
        }
    }

    /** A single different pass, such as a step that measures quantization error, does not invalidate the capture. */
    private boolean isToleratedOnce(PlacedPass pass) {
        return !differed && !pass.isShared() && outlet.isEmpty();
    }

    private void learn(List<MemoryPlan.Event> events) {
        if (seen.add(events)) {
            if (seen.size() > MAX_SEEN) {
                seen.clear();
            }
            return;
        }
        seen.clear();
        MemoryPlan plan = MemoryPlan.of(events);
        if (outlet.reserve(plan.bytes())) {
            memory = plan;
            outlet.letGo();
        } else {
            giveUp("there are no " + plan.bytes() + " bytes left for memory at fixed places");
        }
    }

    private void makePieces(ReplayPass pass) {
        try {
            if (pieces == null) {
                pieces = GraphSegment.of(slots, List.of(), outlet);
                logGraphs();
            } else {
                timesInGraphs++;
                if (hasChanged || pass.hasChanged()) {
                    pieces = GraphSegment.of(slots, pieces, outlet);
                }
                hasChanged = false;
            }
        } catch (DeviceException failure) {
            // A broken GPU reports its error at the next call.
            pieces = null;
            forget();
            giveUp(failure.getMessage());
        }
    }

    private void recapture(String difference) {
        beginnings = timesInGraphs >= WORTH_IT ? 1 : beginnings + 1;
        forget();
        if (beginnings == MAX_CAPTURES) {
            giveUp(difference);
        } else {
            LOG.info("{}: kernel sequence changed, re-capturing the CUDA graph: {}", name, difference);
        }
    }

    private void giveUp(String why) {
        givenUp = true;
        LOG.warn("{}: no longer captured in CUDA graphs: {}", name, why);
    }

    private void logGraphs() {
        int inGraphs = pieces.stream().mapToInt(piece -> piece.span().calls()).sum();
        LOG.info(
                "{}: {} of {} kernels and products go to the GPU in {} graphs; {} bytes, of which {} are used at a time, stay taken for it",
                name,
                inGraphs,
                slots.size(),
                pieces.size(),
                memory.bytes(),
                memory.mostBytes());
    }

    private void forget() {
        if (pieces != null) {
            pieces.forEach(piece -> piece.graph().close());
        }
        pieces = null;
        slots = null;
        timesInGraphs = 0;
        differed = false;
        hasChanged = false;
        if (memory != null) {
            memory = null;
            outlet.release();
        }
    }

    @Override
    public void close() {
        forget();
    }
}
