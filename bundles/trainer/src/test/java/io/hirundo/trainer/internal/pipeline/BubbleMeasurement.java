package io.hirundo.trainer.internal.pipeline;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.rank.RankTeam;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.fixture.TimedModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Measures the bubble of a schedule: the trainer's pipeline on ranks that are threads, with real transfers, around a {@link TimedModel}.
 * The measurement ranges from the start of the first block to the end of the last one, without the optimizer and its collectives.
 */
final class BubbleMeasurement implements AutoCloseable {
    /**
     * One step.
     *
     * @param spans work of all ranks
     * @param totalNanos from the start of the first span to the end of the last one
     */
    record Step(List<TimedModel.Span> spans, long totalNanos) {
        static Step of(List<TimedModel.Span> spans) {
            long start =
                    spans.stream().mapToLong(TimedModel.Span::startNanos).min().orElseThrow();
            long end = spans.stream().mapToLong(TimedModel.Span::endNanos).max().orElseThrow();
            return new Step(spans, end - start);
        }

        /** The bubble fraction: the fraction of all ranks' time in which no block works. */
        double bubbleFraction(int ranks) {
            long busy = spans.stream().mapToLong(TimedModel.Span::nanos).sum();
            return 1 - (double) busy / (totalNanos * ranks);
        }
    }

    /** Steps without simulated work, because interpreted code would add waiting time. */
    private static final int WARM_UP_STEPS = 40;

    private static final StageRequest STAGES = new StageRequest(List.of(), 0, 1, 1, 1, 1);

    private final PipelinePlan plan;
    private final TimedModel model;
    private final RankTeam team;
    private final List<Rank> ranks = new ArrayList<>();
    private final List<RankModel> models;

    /**
     * Opens the ranks.
     *
     * @param workNanos duration of every forward, input-gradient and weight-gradient action of a stage
     */
    BubbleMeasurement(PipelineSchedule schedule, int size, int microbatches, long workNanos) {
        plan = PipelinePlan.of(schedule, size, microbatches);
        model = new TimedModel(plan.shape().stages());
        ComputeBackend cpu = new CpuBackendFactory()
                .create(new CpuOptions(1, CpuOptions.VECTOR))
                .sharedBy(size);
        var compute = new Strategies.Compute(cpu, new Fp32Factory().create(new NoOptions()));
        var parallel = TestParallel.with(TestParallel.fabric(), schedule);
        var mesh = new Mesh(new LinkedHashMap<>(Map.of(Axis.PIPELINE, size)));
        team = new RankTeam(IntStream.range(0, size).boxed().toList());
        for (int rank = 0; rank < size; rank++) {
            ranks.add(Rank.open(cpu, rank, AccountedLedger.of(cpu)));
        }
        models = each(rank -> {
            ranks.get(rank).join(parallel.fabric(), rank, mesh);
            RankModel part = RankModel.open(ranks.get(rank), compute, parallel, model, STAGES);
            part.sharded().allocateGradients();
            return part;
        });
        for (int step = 0; step < WARM_UP_STEPS; step++) {
            step();
        }
        model.takes(workNanos);
    }

    private <T> List<T> each(IntFunction<T> work) {
        return team.each(work, (rank, failure) -> ranks.get(rank).world().abort(failure));
    }

    PipelinePlan plan() {
        return plan;
    }

    /** Runs a step on all ranks, which start together. */
    Step step() {
        int microbatches = plan.shape().microbatches();
        var training = new TrainingSection(1, 1, 1, microbatches, 0, Recompute.NONE);
        var batch = new HostBatch(Collections.nCopies(microbatches, new int[2]));
        each(rank -> {
            ranks.get(rank).everyone().barrier();
            // Without optimizer and gradient norm.
            new StepRunner(models.get(rank), null, training.step()).accumulateGradients(batch);
            return null;
        });
        return Step.of(model.takeSpans());
    }

    @Override
    public void close() {
        try (team) {
            team.each(rank -> {
                models.get(rank).close();
                ranks.get(rank).close();
                return null;
            });
        }
    }
}
