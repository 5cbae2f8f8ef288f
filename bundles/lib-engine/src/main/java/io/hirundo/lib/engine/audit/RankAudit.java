package io.hirundo.lib.engine.audit;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.lib.engine.audit.AuditChooser.Draw;
import io.hirundo.lib.oracle.ElementError;
import io.hirundo.mesh.Mesh;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The audit on one rank. The first step after a change of layers is a survey ({@link GemmSurvey}). In later steps only the drawn layers
 * are observed ({@link TileCapture}), and the others run unchanged. To be used on the rank's thread only.
 */
public final class RankAudit implements AutoCloseable {
    private final Device device;
    private final Queue queue;
    /** A separate queue, so that downloads wait for the copies of a tile but not for later work. */
    private final Queue reading;

    private final int rank;
    private final Mesh mesh;
    private final CollectiveAudit collectives;
    private final AuditChooser chooser;
    private final AuditWorker worker;

    /** The layers of {@link #plans}; null before the survey. Ranks without such layers also take part in the survey, to count collectives. */
    private List<? extends AuditedLayer> known;
    /** GEMMs of each known layer that can be audited. */
    private Map<AuditedLayer, List<GemmPlan>> plans = Map.of();

    private Map<AuditedLayer, GemmSurvey> surveys = Map.of();
    private List<AuditedLayer> observed = List.of();
    private TileStaging staging;
    private CapturedTile captured;
    /** Completes when the copies of {@link #captured} are complete. */
    private Event copied;

    /**
     * Allocates almost no memory before the survey.
     *
     * @param queue the queue of all GEMMs of the rank
     * @param rank rank in the mesh
     * @param collectives observer of all collectives of the rank, idle so far
     */
    public RankAudit(
            Device device,
            Queue queue,
            int rank,
            Mesh mesh,
            CollectiveAudit collectives,
            AuditChooser chooser,
            AuditWorker worker) {
        this.device = device;
        this.queue = queue;
        this.reading = device.newQueue("audit");
        this.rank = rank;
        this.mesh = mesh;
        this.collectives = collectives;
        this.chooser = chooser;
        this.worker = worker;
    }

    /** Whether a step with these layers is a survey or has an audit; the same on all ranks. */
    public boolean isDue(long step, List<? extends AuditedLayer> layers) {
        return !layers.equals(known) || chooser.count(step) > 0;
    }

    /** Starts a step that {@link #isDue}. {@link #endStep} or {@link #abandonStep} must follow. */
    public void beginStep(long step, List<? extends AuditedLayer> layers) {
        if (!layers.equals(known)) {
            beginSurvey(layers);
            return;
        }
        collectives.beginStep(mesh, step, chooser.draw(step, 0));
        var wanted = new LinkedHashMap<AuditedLayer, List<TileCapture.Wanted>>();
        for (int index = 0; index < chooser.count(step); index++) {
            Draw draw = chooser.draw(step, index);
            if (draw.rank(mesh.ranks()) == rank && !plans.isEmpty()) {
                want(draw, wanted);
            }
        }
        wanted.forEach((layer, here) -> layer.observeGemms(new TileCapture(
                device,
                queue,
                staging,
                new TileCapture.Tile(step, rank, layer.name()),
                here,
                this::flush,
                this::captured)));
        observed = List.copyOf(wanted.keySet());
    }

    private void want(Draw draw, Map<AuditedLayer, List<TileCapture.Wanted>> wanted) {
        GemmPlan product = draw.product(List.copyOf(plans.values()));
        plans.forEach((layer, gemms) -> {
            // Compared by identity, because two layers may have equal plans.
            if (gemms.stream().anyMatch(each -> each == product)) {
                wanted.computeIfAbsent(layer, unseen -> new ArrayList<>())
                        .add(new TileCapture.Wanted(product.product(), draw.call(product), product.tile(), draw));
            }
        });
    }

    private void beginSurvey(List<? extends AuditedLayer> layers) {
        releaseStaging();
        collectives.beginSurvey();
        known = List.copyOf(layers);
        surveys = new LinkedHashMap<>();
        for (AuditedLayer layer : known) {
            var survey = new GemmSurvey(layer.name());
            surveys.put(layer, survey);
            layer.observeGemms(survey);
        }
        observed = List.copyOf(known);
    }

    /** Completes the collective audit of an earlier step. To be called before a step and before findings are read. */
    public void finish() {
        collectives.finish(device, worker);
    }

    /**
     * Called when the work of the step has been enqueued. Downloads the copies, which are compared later.
     *
     * @param precision the precision strategy of the step
     */
    public void endStep(PrecisionStrategy precision) {
        unobserve();
        collectives.endStep(device, reading);
        if (surveys.isEmpty()) {
            flush();
        } else {
            endSurvey(precision);
        }
    }

    /** Called when the step has failed. */
    public void abandonStep() {
        unobserve();
        collectives.abandonStep();
        captured = null;
        surveys = Map.of();
        known = null;
    }

    private void endSurvey(PrecisionStrategy precision) {
        var seen = new LinkedHashMap<AuditedLayer, List<GemmPlan>>();
        surveys.forEach((layer, survey) -> {
            if (!survey.plans().isEmpty()) {
                seen.put(layer, survey.plans());
            }
        });
        surveys = Map.of();
        plans = seen;
        staging = new TileStaging(device, gemms(), chooser.most());
        TileReplay.rehearse(device, queue, precision, gemms());
    }

    private void unobserve() {
        observed.forEach(layer -> layer.observeGemms(null));
        observed = List.of();
    }

    /** The GEMMs of a step on this rank, known after the survey; used to predict the overhead of audits. */
    public List<GemmPlan> gemms() {
        return plans.values().stream().flatMap(List::stream).toList();
    }

    /** Upper bound of the bytes that ranks exchange for a chunk, known after the survey. */
    public long exchangedBytes() {
        return collectives.exchangedBytes();
    }

    private void captured(CapturedTile tile) {
        captured = tile;
        copied = queue.record();
    }

    /** Downloads the captured tile, if there is one. */
    private void flush() {
        if (captured == null) {
            return;
        }
        CapturedTile tile = captured;
        captured = null;
        Arena arena = Arena.ofShared();
        reading.await(copied);
        Map<DType, MemorySegment> host = staging.download(reading, arena);
        if (!device.computes()) {
            arena.close();
            return;
        }
        worker.submit(() -> {
            try (arena) {
                compare(tile, host);
            }
        });
    }

    private void compare(CapturedTile tile, Map<DType, MemorySegment> host) {
        CapturedTile.Numbers numbers = tile.read(host);
        ElementError error = tile.check(numbers);
        worker.comparedTile();
        if (error.isWrong()) {
            worker.found(Finding.of(tile, numbers, error));
        }
    }

    /**
     * The unreported findings of this rank, each with the result of its replay. To be called between two steps.
     *
     * @param precision precision strategy of the layers; empty if it is no longer available
     */
    public List<AuditFound> findings(Optional<PrecisionStrategy> precision) {
        return worker.take(rank).stream()
                .map(finding -> replayed(finding, precision))
                .toList();
    }

    private AuditFound replayed(Finding finding, Optional<PrecisionStrategy> precision) {
        if (finding.replayed().isEmpty() || precision.isEmpty()) {
            return finding.found();
        }
        return Finding.replayed(
                finding.found(),
                TileReplay.of(device, queue, precision.get(), finding.replayed().get()));
    }

    private void releaseStaging() {
        if (staging != null) {
            staging.close();
            staging = null;
        }
        plans = Map.of();
    }

    @Override
    public void close() {
        try {
            collectives.release();
            releaseStaging();
        } finally {
            reading.close();
        }
    }
}
