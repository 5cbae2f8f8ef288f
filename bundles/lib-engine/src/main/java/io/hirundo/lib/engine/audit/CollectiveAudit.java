package io.hirundo.lib.engine.audit;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.audit.AuditChooser.Draw;
import io.hirundo.lib.engine.audit.AuditChooser.Purpose;
import io.hirundo.lib.engine.fabric.CollectiveCall;
import io.hirundo.lib.engine.fabric.CollectiveObserver;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Audits a chunk of one collective of a step. All ranks draw the rank that checks, and one of its groups. A survey step counts the
 * collectives of each group, with equal counts on all ranks of a group, so all of them draw the same collective. After the collective the
 * ranks exchange their inputs, and the drawn rank compares. To be used on the rank's thread only.
 */
public final class CollectiveAudit implements CollectiveObserver {
    /** Maximum number of elements that are checked. */
    static final int CHUNK = 1024;

    /** The collectives of one group, or the point-to-point transfers from one rank of it to another. Only the two ends count transfers. */
    private record Line(List<Integer> ranks, int from, int to) {
        static Line of(CollectiveCall call) {
            int own = call.group().rank();
            return switch (call.kind()) {
                case SEND -> new Line(call.group().ranks(), own, call.peer());
                case RECEIVE -> new Line(call.group().ranks(), call.peer(), own);
                default -> new Line(call.group().ranks(), -1, -1);
            };
        }
    }

    /** What the survey step counted for a line. */
    private static final class Seen {
        private int calls;
        private final Set<DType> types = new LinkedHashSet<>();
    }

    /** The collective to check. */
    private record Wanted(Line line, int call, int rank, Draw draw, long step) {}

    /** Calls in the current step by line; null outside of steps. */
    private Map<Line, Integer> counted;

    private final Map<Line, Seen> seen = new HashMap<>();
    private boolean surveys;
    private Wanted wanted;
    private ChunkStaging staging;
    private CapturedChunk open;

    /** Starts a survey step, which counts collectives and checks none. */
    void beginSurvey() {
        release();
        seen.clear();
        surveys = true;
        counted = new HashMap<>();
    }

    /** Starts a step with a drawn chunk. {@link #finish} must have been called since the last step. */
    void beginStep(Mesh mesh, long step, Draw draw) {
        counted = new HashMap<>();
        wanted = draw(mesh, draw, step).orElse(null);
    }

    private Set<DType> types() {
        var types = new LinkedHashSet<DType>();
        seen.values().forEach(each -> types.addAll(each.types));
        types.removeIf(dtype -> !dtype.isFloating());
        return types;
    }

    private int largestGroup() {
        return seen.keySet().stream()
                .mapToInt(line -> line.ranks().size())
                .max()
                .orElse(1);
    }

    /** Upper bound of the bytes that a rank sends and receives for a chunk. */
    long exchangedBytes() {
        long widest = types().stream().mapToLong(DType::byteSize).max().orElse(0);
        return seen.isEmpty() ? 0 : (long) CHUNK * largestGroup() * widest;
    }

    /** The drawn collective, the same on all ranks of the drawn group. Empty on other ranks, and if the group has no collectives. */
    private Optional<Wanted> draw(Mesh mesh, Draw draw, long step) {
        int rank = draw.below(Purpose.COLLECTIVE_RANK, mesh.ranks());
        List<Set<Axis>> groups = groups(mesh);
        if (groups.isEmpty()) {
            return Optional.empty();
        }
        Set<Axis> axes = groups.get(draw.below(Purpose.GROUP, groups.size()));
        List<Integer> ranks = mesh.ranksAlong(rank, axes);
        int place = ranks.indexOf(rank);
        // A pipeline stage exchanges transfers with the previous and the next stage.
        int neighbor = (place + (draw.below(Purpose.SOURCE, 2) == 0 ? 1 : ranks.size() - 1)) % ranks.size();
        var line = axes.equals(Set.of(Axis.PIPELINE)) ? new Line(ranks, neighbor, place) : new Line(ranks, -1, -1);
        Seen known = seen.get(line);
        return known == null
                ? Optional.empty()
                : Optional.of(new Wanted(line, draw.below(Purpose.COLLECTIVE, known.calls), rank, draw, step));
    }

    /** The groups with collectives: each axis, the axes of weight replicas, and all axes. */
    private static List<Set<Axis>> groups(Mesh mesh) {
        var several = new LinkedHashSet<Axis>();
        for (Axis axis : Axis.values()) {
            if (mesh.size(axis) > 1) {
                several.add(axis);
            }
        }
        var groups = new LinkedHashSet<Set<Axis>>();
        several.forEach(axis -> groups.add(Set.of(axis)));
        if (several.containsAll(Set.of(Axis.CONTEXT, Axis.DATA))) {
            groups.add(Set.of(Axis.CONTEXT, Axis.DATA));
        }
        if (!several.isEmpty()) {
            groups.add(Set.copyOf(several));
        }
        return new ArrayList<>(groups);
    }

    /** Called when the work of the step has been enqueued. */
    void endStep(Device device, Queue reading) {
        counted = null;
        wanted = null;
        if (surveys) {
            surveys = false;
            if (!seen.isEmpty()) {
                staging = new ChunkStaging(device, reading, types(), largestGroup());
            }
        }
    }

    void abandonStep() {
        counted = null;
        wanted = null;
        surveys = false;
        open = null;
        seen.clear();
    }

    @Override
    public Pending begin(CollectiveCall call, Supplier<Pending> begin) {
        if (counted == null) {
            return begin.get();
        }
        var line = Line.of(call);
        int number = counted.merge(line, 1, Integer::sum) - 1;
        if (surveys) {
            Seen of = seen.computeIfAbsent(line, unseen -> new Seen());
            of.calls++;
            of.types.add(call.larger().dtype());
            return begin.get();
        }
        boolean chosen =
                wanted != null && wanted.call() == number && wanted.line().equals(line);
        if (!chosen
                || !call.larger().dtype().isFloating()
                || !seen.get(line).types.contains(call.larger().dtype())) {
            return begin.get();
        }
        return capture(call, number, begin);
    }

    private Pending capture(CollectiveCall call, int number, Supplier<Pending> begin) {
        Wanted one = wanted;
        wanted = null;
        var chunk = CapturedChunk.of(call, number, one.rank(), one.step(), one.draw());
        if (chunk.isEmpty()) {
            return begin.get();
        }
        CapturedChunk captured = chunk.get();
        captured.copyInput(staging);
        Pending begun = begin.get();
        captured.exchange(staging);
        open = captured;
        return captured.isAuditor() ? new Copied(begun, captured) : begun;
    }

    /** A collective whose result is copied before another reader can change it. */
    private final class Copied implements Pending, Event {
        private final Pending pending;
        private final CapturedChunk chunk;
        private boolean copied;

        Copied(Pending pending, CapturedChunk chunk) {
            this.pending = pending;
            this.chunk = chunk;
            chunk.whenCopied(this);
        }

        @Override
        public Event event() {
            return this;
        }

        @Override
        public synchronized boolean hasHappened() {
            if (!pending.event().hasHappened()) {
                return false;
            }
            copy();
            return true;
        }

        @Override
        public synchronized void await() {
            pending.await();
            copy();
        }

        private void copy() {
            if (!copied) {
                copied = true;
                chunk.copyResult(staging);
            }
        }
    }

    /** Waits for the exchange of an earlier step and queues its comparison. */
    void finish(Device device, AuditWorker worker) {
        if (open != null) {
            CapturedChunk done = open;
            open = null;
            done.finish(device, staging, worker);
        }
    }

    /** Frees the buffers. */
    void release() {
        if (open != null) {
            open.await();
            open = null;
        }
        if (staging != null) {
            staging.close();
            staging = null;
        }
    }
}
