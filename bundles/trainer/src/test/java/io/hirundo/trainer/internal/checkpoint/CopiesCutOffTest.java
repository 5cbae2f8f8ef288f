package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DivergedException;
import io.hirundo.StoreException;
import io.hirundo.event.CheckpointEvent.CheckpointCopied;
import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.event.CheckpointEvent.CheckpointNotCopied;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.trainer.internal.copy.BackgroundFetch;
import io.hirundo.trainer.internal.copy.FetchResult;
import io.hirundo.trainer.internal.fixture.HookedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies and fetches that are canceled by a change of the store, an error or the user. */
@Timeout(120)
class CopiesCutOffTest extends CopiedRuns {
    private static final String CUT_OFF =
            "interrupted; the run has ended or its store has changed; --resume continues the copy";

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void copiesMissingCheckpointsToANewStore(int ranks) throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        var cutOff = new CountDownLatch(1);
        store.before = checkpoint -> {
            if (cutOff.getCount() > 0) {
                await(this::interrupted);
                cutOff.countDown();
                throw new StoreException("interrupted");
            }
        };
        var run = prepared(ranks, Map.of("keepCopies", 0));
        var decision = run.change(5, "checkpoint.store.options.path=" + other);
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        assertEquals(List.of(), copies());
        assertTrue(HookedStore.copies(other, "steered").stream().anyMatch(copy -> copy.step() == 12));
        assertTrue(run.events(CheckpointCopied.class).stream()
                .allMatch(copied -> copied.place().startsWith(other.toString())));
        assertEquals(
                List.of(new CheckpointNotCopied(4, away.resolve("steered").toString(), CUT_OFF)),
                run.events(CheckpointNotCopied.class).stream()
                        .filter(missing -> missing.place().startsWith(away.toString()))
                        .toList());
    }

    /** Makes every copy block until it is canceled. Returns a latch that opens when a copy has started. */
    private CountDownLatch copyUntilCut() {
        var begun = new CountDownLatch(1);
        store.before = checkpoint -> {
            begun.countDown();
            awaitCut();
        };
        return begun;
    }

    @Test
    void reportsMissingCopiesOfARemovedStore() {
        CountDownLatch begun = copyUntilCut();
        var run = prepared(1, Map.of("atEnd", false));
        run.after(5, () -> await(begun));
        var decision = run.change(6, "checkpoint.store=null");
        run.after(7, () -> run.interrupted.set(true));
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        assertEquals(
                List.of(new CheckpointNotCopied(4, away.resolve("steered").toString(), CUT_OFF)),
                run.events(CheckpointNotCopied.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void reportsMissingCopiesWhenTheRunFails(int ranks) {
        CountDownLatch begun = copyUntilCut();
        var run = prepared(ranks, Map.of("everySteps", 1))
                .with("learningRate", Map.of("name", "constant", "options", Map.of("peak", 1e30)));
        run.after(2, () -> await(begun));
        assertThrows(DivergedException.class, run::run);
        assertEquals(
                List.of(new CheckpointNotCopied(1, away.resolve("steered").toString(), CUT_OFF)),
                run.events(CheckpointNotCopied.class));
        assertEquals(RunFailed.class, run.events.getLast().getClass());
    }

    private boolean interrupted() {
        return Thread.currentThread().isInterrupted();
    }

    /** Blocks until the thread that copies or fetches is interrupted. */
    private void awaitCut() {
        await(this::interrupted);
        throw new StoreException("interrupted");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ctrlCDuringTheFinalWaitCancelsTheCopyAndResumeCompletesIt(int ranks) {
        var run = prepared(ranks, Map.of("everySteps", 100));
        store.before = checkpoint -> {
            // The first check, when the wait starts, sees the request that ended training.
            long looks = run.looks.get();
            await(() -> run.looks.get() > looks);
            run.interrupted.set(true);
            awaitCut();
        };
        run.run();
        assertTrue(run.ending.interrupted());
        assertEquals(List.of(), copies());
        assertEquals(
                List.of(CUT_OFF),
                run.events(CheckpointNotCopied.class).stream()
                        .map(CheckpointNotCopied::reason)
                        .toList());
        store.before = checkpoint -> {};
        var resumed = prepared(ranks, Map.of("atEnd", false)).resume();
        assertEquals(
                List.of(12L),
                resumed.events(CheckpointCopied.class).stream()
                        .map(CheckpointCopied::step)
                        .toList());
    }

    /** A preempted node has its last state in the store. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ctrlCThatEndsTrainingDoesNotCancelTheLastCopy(int ranks) {
        var run = prepared(ranks, Map.of());
        run.after(5, () -> await(() -> copies().contains(4L)));
        run.after(6, () -> run.interrupted.set(true));
        store.before = checkpoint -> {
            // Longer than the interval between two checks.
            long end = System.nanoTime() + Duration.ofMillis(1500).toNanos();
            await(() -> interrupted() || checkpoint.step() == 4 || System.nanoTime() > end);
            if (interrupted()) {
                throw new StoreException("interrupted");
            }
        };
        run.run();
        assertTrue(run.ending.interrupted());
        assertEquals(6, run.ending.step());
        assertEquals(List.of(6L, 4L), copies());
        assertEquals(List.of(), run.events(CheckpointNotCopied.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ctrlCCancelsAFetchAndResumeFetchesAgain(int ranks) throws IOException {
        prepared(ranks, Map.of()).run();
        Files.move(folder.resolve("runs"), folder.resolve("lost"));
        var cut = prepared(ranks, Map.of());
        store.beforeFetch = () -> {
            cut.interrupted.set(true);
            awaitCut();
        };
        cut.resume();
        assertTrue(cut.ending.interrupted());
        assertEquals(List.of(), cut.losses);
        assertFalse(Files.exists(folder.resolve("runs/steered/fetching")));
        assertEquals(0, store.open.get(), "stores that nobody has closed");
        store.beforeFetch = () -> {};
        var resumed = prepared(ranks, Map.of("atEnd", false)).resume();
        assertEquals(
                List.of(12L),
                resumed.events(CheckpointFetched.class).stream()
                        .map(CheckpointFetched::step)
                        .toList());
    }

    /** In the interval between the end of the fetch and the next check. */
    @Test
    void reportsACompleteFetchIfCtrlCComesTooLate() throws IOException {
        prepared(1, Map.of()).run();
        Files.move(folder.resolve("runs"), folder.resolve("lost"));
        var cut = prepared(1, Map.of());
        Thread waiting = Thread.currentThread();
        store.beforeFetch = () -> {
            cut.interrupted.set(true);
            await(this::interrupted);
            // The interrupting thread has finished its work, and does not close files opened after this point.
            await(() -> waiting.getState() == Thread.State.WAITING);
            Thread.interrupted();
        };
        cut.resume();
        assertTrue(cut.ending.interrupted());
        assertTrue(Files.exists(folder.resolve("runs/steered/checkpoints/step-00000012")));
        assertEquals(
                ", but step 12 is complete in here, and --resume continues from it",
                stateAfterCancel(() -> new FetchResult(
                        List.of(), Optional.of(new CheckpointFetched(12, Path.of("here"), "away", 1, 1)))));
        assertEquals(", but there was nothing to fetch", stateAfterCancel(() -> FetchResult.NOTHING));
        assertEquals(", and its partial files are deleted; --resume fetches it again", stateAfterCancel(() -> {
            throw new StoreException("interrupted");
        }));
    }

    private static String stateAfterCancel(Callable<FetchResult> work) {
        try (var fetch = new BackgroundFetch(work)) {
            assertTrue(fetch.hasEnded(Duration.ofMinutes(1)));
            return fetch.stateAfterCancel();
        }
    }
}
