package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.DivergedException;
import io.hirundo.event.CheckpointEvent.CheckpointBegun;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.trainer.internal.checkpoint.LateCheckpoints.Late;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints that become durable during training. */
class RunSavesTest {
    @TempDir
    private Path folder;

    private final LateCheckpoints late = new LateCheckpoints();
    private final LateCheckpoints other = new LateCheckpoints();

    private SteeredRun prepared(int ranks, boolean atEnd) {
        var run = new SteeredRun(folder.resolve("run"));
        run.catalog.add("checkpoint", "late", late);
        run.catalog.add("checkpoint", "other", other);
        return run.with("mesh", Map.of("data", ranks))
                .with("checkpoint", Map.of("strategy", "late", "everySteps", 3, "atEnd", atEnd));
    }

    /** {@code s3} for the end of step 3, {@code c3} for the event of its checkpoint. */
    private static String story(SteeredRun run) {
        var story = new StringBuilder();
        for (TrainingEvent event : run.events) {
            switch (event) {
                case StepCompleted step -> story.append(" s").append(step.step());
                case CheckpointSaved saved ->
                    story.append(" c").append(saved.checkpoint().step());
                case RunFailed failed -> story.append(" failed");
                default -> {}
            }
        }
        return story.toString().strip();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void trainsDuringASaveAndReportsItWhenDurable(int ranks) {
        var run = prepared(ranks, false);
        // The save of step 6 ends first, but is reported after that of step 3. The save of step 9 ends with the run.
        run.after(6, () -> assertEquals(ranks, late.of(3).size()));
        run.after(7, () -> late.of(6).forEach(Late::succeed));
        run.after(8, () -> late.of(3).forEach(Late::succeed));
        run.run();
        assertEquals("s1 s2 s3 s4 s5 s6 s7 s8 c3 c6 s9 s10 s11 s12 c9 c12", story(run));
        assertEquals(
                List.of(3L, 6L, 9L, 12L),
                run.events(CheckpointBegun.class).stream()
                        .map(CheckpointBegun::step)
                        .toList());
    }

    @Test
    void waitsForTheLastSave() {
        var run = prepared(2, true).run();
        assertEquals("s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 c3 c6 c9 c12", story(run));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void endsTheRunAfterAFailureOnOneRank(int ranks) {
        var run = prepared(ranks, true);
        run.after(
                4,
                () -> late.of(3).stream().filter(save -> save.rank == ranks - 1).forEach(Late::fail));
        var failure = assertThrows(CheckpointException.class, run::run);
        assertEquals("the disk is full", failure.getMessage());
        assertEquals("s1 s2 s3 s4 s5 failed", story(run));
    }

    @Test
    void answersASaveRequestWhenTheCheckpointIsDurable() {
        var run = prepared(1, false);
        var durable = new CompletableFuture<Boolean>();
        run.after(
                4,
                () -> run.steering
                        .saveCheckpoint()
                        .thenAccept(decision ->
                                durable.complete(late.of(5).getFirst().isDurable())));
        run.run();
        assertTrue(durable.join());
        assertEquals("s1 s2 s3 s4 s5 c3 c5 s6 s7 s8 s9 s10 s11 s12 c6 c9 c12", story(run));
    }

    @Test
    void switchesStrategiesAfterPendingSaves() {
        var run = prepared(2, false);
        var decision = run.change(3, "checkpoint.strategy=other");
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        assertEquals("s1 s2 s3 s4 c3 s5 s6 s7 s8 s9 s10 s11 s12 c6 c9 c12", story(run));
        assertEquals(
                List.of(3L, 3L),
                late.saves.stream().map(save -> save.info.step()).toList());
        assertEquals(
                List.of(6L, 6L, 9L, 9L, 12L, 12L),
                other.saves.stream().map(save -> save.info.step()).sorted().toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void savesOnAllRanksWhenTheTimeIsUp(int ranks) {
        var run = prepared(ranks, false)
                .with("checkpoint", Map.of("strategy", "late", "everySeconds", 1, "atEnd", false));
        run.after(5, () -> sleep(1_100)).run();
        assertTrue(
                late.saves.stream().anyMatch(save -> save.info.step() <= 6), "none after the step that took too long");
        late.saves.forEach(save -> assertEquals(ranks, late.of(save.info.step()).size()));
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException never) {
            throw new AssertionError(never);
        }
    }

    @Test
    void completesPendingSavesWhenTheRunFails() {
        var run = prepared(2, true);
        run.change(3, "learningRate.options.peak=1e30");
        assertThrows(DivergedException.class, run::run);
        assertTrue(story(run).endsWith(" c3 failed"), story(run));
    }
}
