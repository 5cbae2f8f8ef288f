package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.session.TieredFactory;
import io.hirundo.event.CheckpointEvent.CheckpointCopied;
import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.event.CheckpointEvent.CheckpointNotCopied;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.lib.run.rate.ScheduleChoice;
import io.hirundo.storefolder.internal.FolderOptions;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.StartWith;
import io.hirundo.trainer.internal.fixture.HookedStore;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run whose checkpoints are copied to a store during training, and that resumes from the store. */
@Timeout(120)
class RemoteCopiesTest extends CopiedRuns {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void resumesBitwiseFromTheNewestCopyAfterLosingTheDisk(int ranks) throws IOException {
        var whole = prepared(ranks, Map.of("keepCopies", 2));
        // Before the next save, so that no copy is skipped.
        whole.after(5, () -> await(() -> copies().contains(4L)));
        whole.after(9, () -> await(() -> copies().contains(8L)));
        whole.run();
        assertEquals(List.of(12L, 8L), copies());
        assertEquals(
                List.of(4L, 8L, 12L),
                whole.events(CheckpointCopied.class).stream()
                        .map(CheckpointCopied::step)
                        .toList());
        assertFalse(Files.exists(folder.resolve("runs/steered/copying"))
                && notEmpty(folder.resolve("runs/steered/copying")));

        try (var session =
                new HookedStore().create(new FolderOptions(away.toString())).open("steered")) {
            session.delete(session.list().getFirst());
        }
        Files.move(folder.resolve("runs"), folder.resolve("lost"));
        var resumed = prepared(ranks, Map.of()).resume();
        assertEquals(
                List.of(8L),
                resumed.events(CheckpointFetched.class).stream()
                        .map(CheckpointFetched::step)
                        .toList());
        assertEquals(
                List.of(9L, 10L, 11L, 12L),
                resumed.events(StepCompleted.class).stream()
                        .map(StepCompleted::step)
                        .toList());
        assertEquals(whole.losses.subList(8, 12), resumed.losses);
        assertEquals(List.of(12L, 8L), copies());
    }

    private static ResumeRequest at(Optional<Path> source, long step) {
        return new ResumeRequest(
                source,
                StartWith.DATA,
                OptionalLong.of(step),
                ScheduleChoice.UNCHANGED,
                List.of("train", "c.yaml", "--resume"));
    }

    /** A run of 12 steps. Its directory keeps step 12, its store 4, 8 and 12. */
    private SteeredRun copied() {
        var run = prepared(1, Map.of("keepCopies", 3));
        run.after(5, () -> await(() -> copies().contains(4L)));
        run.after(9, () -> await(() -> copies().contains(8L)));
        run.run();
        assertEquals(List.of(12L, 8L, 4L), copies());
        return run;
    }

    @Test
    void returnsToAStepThatOnlyTheStoreHas() throws IOException {
        List<Double> losses = copied().losses;
        Path checkpoints = folder.resolve("runs/steered/checkpoints");
        var resumed = prepared(1, Map.of("keepCopies", 3));
        resumed.after(10, () -> await(() -> copies().equals(List.of(8L, 4L))));
        resumed.after(9, () -> assertEquals("step-00000008\n", read(checkpoints.resolve("latest"))));
        resumed.resume(at(Optional.empty(), 8));
        assertEquals(
                List.of(8L),
                resumed.events(CheckpointFetched.class).stream()
                        .map(CheckpointFetched::step)
                        .toList());
        assertEquals(losses.subList(8, 12), resumed.losses);
        assertTrue(Files.exists(folder.resolve("runs/steered/abandoned/after-step-8/step-00000012")));
        assertEquals(List.of(12L, 8L, 4L), copies());
    }

    /** Steps 3 and 6 are on storage and in the store, 5 is in memory. */
    @Test
    void forgetsLaterCopiesWhenItReturnsToAStepInMemory() throws IOException {
        Path memory = Files.createDirectory(folder.resolve("memory"));
        var first = inMemory(memory);
        first.after(7, () -> first.interrupted.set(true));
        first.run();
        assertEquals(6L, copies().getFirst());
        var second = inMemory(memory);
        second.after(6, () -> second.interrupted.set(true));
        second.resume(at(Optional.empty(), 5));
        assertTrue(copies().stream().allMatch(step -> step == 3), () -> copies().toString());
        var third = inMemory(memory);
        third.after(7, () -> third.interrupted.set(true));
        third.resume();
        assertEquals(first.losses.subList(6, 7), third.losses, "continues from the new step 6");
    }

    private SteeredRun inMemory(Path memory) {
        Map<String, Object> options =
                Map.of("durableEvery", 3, "memory", Map.of("directory", memory.toString(), "keep", 9));
        var run = prepared(
                1,
                Map.of("strategy", Map.of("name", "dcp-tiered", "options", options), "everySteps", 1, "atEnd", false));
        run.catalog.add("checkpoint", "dcp-tiered", new TieredFactory(NamedBundle.context()));
        return run;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void namesTheStepsOfDirectoryAndStore() {
        copied();
        var failure = assertThrows(
                ConfigurationException.class, () -> prepared(1, Map.of()).resume(at(Optional.empty(), 9)));
        assertEquals(
                "--at: there is no checkpoint of step 9 in " + folder.resolve("runs/steered/checkpoints") + " or "
                        + away.resolve("steered") + " (allowed: 12, 8, 4)",
                failure.getMessage());
        assertEquals(0, store.open.get(), "stores that nobody has closed");
    }

    @Test
    void startsFromAStepThatOnlyTheStoreOfTheOtherRunHas() {
        List<Double> losses = copied().losses;
        Path first = folder.resolve("runs/steered");
        var started = other("second").start(at(Optional.of(first), 8));
        assertEquals(losses.subList(8, 12), started.losses);
        assertEquals(List.of(12L, 8L, 4L), copies(), "the other run keeps its copies");
        assertTrue(Files.exists(first.resolve("checkpoints/step-00000012")), "and its checkpoints");
        assertEquals(0, store.open.get(), "stores that nobody has closed");

        store.beforeFetch = () -> {
            throw new StoreException("connection reset");
        };
        var failure = assertThrows(StoreException.class, () -> other("third").start(at(Optional.of(first), 4)));
        assertTrue(failure.getMessage().startsWith("--start-from: step 4 cannot be fetched"), failure.getMessage());
        assertTrue(
                failure.getMessage().endsWith("give --start-from RUN@STEP with a step that is in the run directory"),
                failure.getMessage());
    }

    /** A run without a store. */
    private SteeredRun other(String name) {
        var none = new HashMap<String, Object>();
        none.put("store", null);
        return prepared(1, none)
                .with(
                        "run",
                        Map.of("name", name, "directory", folder.resolve("runs").toString()));
    }

    private static boolean notEmpty(Path path) throws IOException {
        try (var entries = Files.list(path)) {
            return entries.findAny().isPresent();
        }
    }

    @Test
    void resumesLocallyIfTheStoreHasNothingNewer() {
        prepared(1, Map.of()).run();
        var resumed = prepared(1, Map.of("atEnd", false)).resume();
        assertEquals(List.of(), resumed.events(CheckpointFetched.class));
        assertEquals(List.of(), resumed.events(CheckpointCopied.class));
    }

    @Test
    void copiesACheckpointThatIsDeletedMeanwhile() {
        var deleted = new CountDownLatch(1);
        store.before = checkpoint -> await(deleted);
        var run = prepared(1, Map.of());
        run.after(9, () -> {
            assertFalse(
                    Files.exists(run.events(CheckpointSaved.class)
                            .getFirst()
                            .checkpoint()
                            .path()),
                    "retention keeps one");
            deleted.countDown();
        });
        run.after(10, () -> await(() -> copies().contains(8L)));
        run.run();
        assertEquals(
                List.of(4L, 8L, 12L),
                run.events(CheckpointCopied.class).stream()
                        .map(CheckpointCopied::step)
                        .toList());
        assertEquals(List.of(12L, 8L, 4L), copies());
    }

    @Test
    void reportsAFailedCopyAtTheEndAndResumeCopiesIt() {
        store.before = checkpoint -> {
            throw new ConfigurationException("there is no bucket");
        };
        var run = prepared(1, Map.of());
        var failure = assertThrows(CheckpointException.class, run::run);
        Path last = run.events(CheckpointSaved.class).getLast().checkpoint().path();
        assertEquals(
                last + " is saved, but not copied to " + away.resolve("steered")
                        + "; continue with --resume when the store can be reached: that copies it",
                failure.getMessage());
        assertEquals(12, run.losses.size());
        assertEquals(
                "there is no bucket",
                run.events(CheckpointNotCopied.class).getLast().reason());
        store.before = checkpoint -> {};
        var resumed = prepared(1, Map.of("atEnd", false)).resume();
        assertEquals(
                List.of(12L),
                resumed.events(CheckpointCopied.class).stream()
                        .map(CheckpointCopied::step)
                        .toList());
        assertEquals(List.of(12L), copies());
    }

    @Test
    void rejectsANewRunIfTheStoreHasCopiesOfItsName() throws IOException {
        prepared(1, Map.of()).run();
        Files.move(folder.resolve("runs"), folder.resolve("lost"));
        var failure = assertThrows(
                ConfigurationException.class, () -> prepared(1, Map.of()).run());
        assertEquals(
                "run.name: " + away.resolve("steered")
                        + " holds copies of a run of this name, the newest of step 12; continue it with "
                        + "--resume, or give another run.name",
                failure.getMessage());
        assertFalse(Files.exists(folder.resolve("runs/steered")), "a run that could not begin leaves nothing");
    }

    @Test
    void reportsAnUnreachableStoreBeforeTheFirstStep() throws IOException {
        Files.delete(away);
        var run = prepared(1, Map.of());
        var failure = assertThrows(ConfigurationException.class, run::run);
        assertTrue(
                failure.getMessage().startsWith("checkpoint.store.options.path: there is no folder " + away),
                failure.getMessage());
        assertEquals(List.of(), run.losses);
    }

    @Test
    void rejectsAStoreWithoutCheckpoints() {
        var none = new HashMap<String, Object>();
        none.put("strategy", null);
        var failure = assertThrows(
                ConfigurationException.class, () -> prepared(1, none).configuration());
        assertTrue(failure.getMessage().contains("checkpoint.store: there is nothing to copy"), failure.getMessage());
    }

    /** The store has only a damaged copy, and the run has step 7 only in memory. */
    @Test
    void reportsSkippedCopiesWithTheResumedStep() throws IOException {
        var memory = Files.createDirectory(folder.resolve("memory"));
        Map<String, Object> tiered = Map.of(
                "strategy",
                Map.of(
                        "name",
                        "dcp-tiered",
                        "options",
                        Map.of("durableEvery", 100, "memory", Map.of("directory", memory.toString()))),
                "everySteps",
                1,
                "atEnd",
                false,
                "onDamage",
                "previous");
        var first = prepared(1, tiered);
        first.catalog.add("checkpoint", "dcp-tiered", new TieredFactory(NamedBundle.context()));
        first.after(7, () -> first.interrupted.set(true));
        first.run();
        putDamaged(12);
        var resumed = prepared(1, tiered);
        resumed.catalog.add("checkpoint", "dcp-tiered", new TieredFactory(NamedBundle.context()));
        resumed.resume();
        assertEquals(8, resumed.events(StepCompleted.class).getFirst().step());
        assertEquals(
                List.of(7L),
                resumed.events(CheckpointPassedOver.class).stream()
                        .map(CheckpointPassedOver::step)
                        .toList());
    }

    private void putDamaged(long step) throws IOException {
        Path checkpoint = Files.createDirectories(folder.resolve("another/step-000000" + step));
        Files.writeString(checkpoint.resolve("data"), "of another step");
        try (var session =
                new HookedStore().create(new FolderOptions(away.toString())).open("steered")) {
            session.put(new CheckpointInfo(checkpoint, step, 15), done -> {});
        }
        try (var below = Files.walk(away)) {
            Files.writeString(
                    below.filter(file -> file.endsWith("data")).findFirst().orElseThrow(), "of ANOTHER step");
        }
    }

    @Test
    void doesNotTreatALostConnectionAsDamage() throws IOException {
        prepared(1, Map.of()).run();
        Files.move(folder.resolve("runs"), folder.resolve("lost"));
        store.beforeFetch = () -> {
            throw new StoreException("connection reset");
        };
        var failure = assertThrows(
                StoreException.class,
                () -> prepared(1, Map.of("onDamage", "previous")).resume());
        assertEquals(ExitCode.CHECKPOINT, failure.exitCode());
        assertEquals(0, store.open.get(), "stores that nobody has closed");
    }

    @Test
    void rejectsAChangeToAnUnreachableStore() {
        var run = prepared(1, Map.of());
        var decision = run.change(5, "checkpoint.store.options.path=" + folder.resolve("nowhere"));
        run.run();
        assertFalse(decision.join().granted());
        assertTrue(
                decision.join().message().contains("there is no folder"),
                decision.join().message());
        assertEquals(12L, copies().getFirst());
    }
}
