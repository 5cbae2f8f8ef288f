package io.hirundo.trainer.internal.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpointdcp.internal.session.AsyncFactory;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StrategiesChanged;
import io.hirundo.precision.LinearProduct;
import io.hirundo.trainer.internal.fixture.BrokenTiles;
import io.hirundo.trainer.internal.fixture.HookedStore;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rollbacks of several ranks with asynchronous saves: the losses are those of a run without the fault. */
@Timeout(180)
class RollbackTest {
    private static final String LAYER = "model.layers.1.mlp.down_proj.weight";
    private static final int STEPS = 8;
    /** Audits nearly every tile in every step. */
    private static final double RATE = 256;
    /** Number of wrong tiles of a fault. */
    private static final int WRONG_TILES = 8;

    @TempDir
    private Path folder;

    private int runs;

    /** A run with a fault in this step only, or in no step for 0. */
    private SteeredRun prepared(int tensor, int pipeline, int data, long faultyStep) {
        var step = new AtomicLong(1);
        var wrong = new AtomicLong();
        var run = new SteeredRun(folder.resolve("run-" + runs++));
        run.catalog.add("checkpoint", "dcp-async", new AsyncFactory(NamedBundle.context()));
        run.catalog.add(
                "precision",
                "broken",
                new BrokenTiles((layer, product, row, column) -> layer.equals(LAYER)
                        && product == LinearProduct.WEIGHT_GRADIENT
                        && step.get() == faultyStep
                        && wrong.incrementAndGet() <= WRONG_TILES));
        run.with("precision", Map.of("name", "broken"))
                .with("mesh", Map.of("tensor", tensor, "pipeline", pipeline, "data", data))
                .with("training", Map.of("steps", STEPS, "sequenceTokens", 16, "globalBatch", 4))
                .with("audit", Map.of("rate", RATE, "onFinding", "rollback", "rollbacks", 2));
        checkpoints(run, 2, Map.of());
        for (long done = 1; done <= STEPS; done++) {
            long next = done + 1;
            run.after(done, () -> step.set(next));
        }
        return run;
    }

    private static void checkpoints(SteeredRun run, int everySteps, Map<String, ?> more) {
        var options = Map.of("chunkBytes", 4096, "stagingBytes", 16384);
        var section = new HashMap<String, Object>(
                Map.of("strategy", Map.of("name", "dcp-async", "options", options), "everySteps", everySteps));
        section.putAll(more);
        run.with("checkpoint", section);
    }

    /** The losses of all steps; the last one of a repeated step. */
    private static List<Double> losses(SteeredRun run) {
        var losses = new HashMap<Long, Double>();
        run.events(StepCompleted.class)
                .forEach(step -> losses.put(step.step(), step.metrics().loss()));
        return losses.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .toList();
    }

    private static void assertRolledBack(SteeredRun run, long to, long faultyStep) {
        assertEquals(
                List.of(to),
                run.events(RunRolledBack.class).stream()
                        .map(RunRolledBack::step)
                        .toList());
        assertTrue(
                run.events(AuditFound.class).stream().allMatch(found -> found.step() == faultyStep),
                () -> run.events(AuditFound.class).toString());
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 2", "2, 2, 1"})
    void ranksRollBackTogether(int tensor, int pipeline, int data) {
        var run = prepared(tensor, pipeline, data, 6).run();
        assertRolledBack(run, 4, 6);
        assertEquals(losses(prepared(tensor, pipeline, data, 0).run()), losses(run));
    }

    /** The checkpoint is in the run directory, so a store that cannot be reached does not matter. */
    @Test
    void rollsBackWithoutItsStore() throws Exception {
        Path away = Files.createDirectory(folder.resolve("away"));
        var store = new HookedStore();
        store.beforeFetch = () -> {
            throw new AssertionError("the checkpoint is in the run directory");
        };
        var run = prepared(1, 1, 2, 6);
        run.catalog.add("checkpoint-store", "hooked", store);
        checkpoints(
                run,
                2,
                Map.of("store", Map.of("name", "hooked", "options", Map.of("path", away.toString())), "keepCopies", 9));
        run.run();
        assertRolledBack(run, 4, 6);
        assertEquals(losses(prepared(1, 1, 2, 0).run()), losses(run));
        assertTrue(
                HookedStore.copies(away, "steered").stream().anyMatch(copy -> copy.step() == STEPS),
                "the last checkpoint is not in the store");
        assertEquals(0, store.open.get());
    }

    /** Data, optimizer or learning rate have changed since the newest periodic checkpoint: the run rolls back to the change. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "data.source.options.seed=5",
                "optimizer.options.weightDecay=0.3",
                "learningRate.options.peak=0.0005"
            })
    void rollsBackToAChange(String change) {
        SteeredRun run = changed(change, 6);
        assertRolledBack(run, 5, 6);
        assertEquals(losses(changed(change, 0)), losses(run));
    }

    /** Requested after step 4, and applied after step 5. */
    private SteeredRun changed(String change, long faultyStep) {
        var run = prepared(1, 1, 2, faultyStep);
        checkpoints(run, 4, Map.of());
        var decision = run.change(4, change);
        run.run();
        assertTrue(decision.join().granted(), () -> decision.join().message());
        assertEquals(
                List.of(5L),
                run.events(StrategiesChanged.class).stream()
                        .map(StrategiesChanged::step)
                        .toList());
        return run;
    }
}
