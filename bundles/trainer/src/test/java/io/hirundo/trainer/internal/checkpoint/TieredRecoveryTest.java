package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpointdcp.internal.session.AsyncFactory;
import io.hirundo.checkpointdcp.internal.session.TieredFactory;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.lib.run.rate.ScheduleChoice;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.session.LocalRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that keep two of three checkpoints in memory. */
class TieredRecoveryTest {
    private static final int RANKS = 4;

    @TempDir
    private Path folder;

    private Path memory;

    @BeforeEach
    void makeMemory() throws IOException {
        memory = Files.createDirectory(folder.resolve("memory"));
    }

    private SteeredRun run() {
        return run(1);
    }

    private Map<String, Object> options(int kept) {
        return Map.of(
                "durableEvery",
                3,
                "chunkBytes",
                4096,
                "stagingBytes",
                16384,
                "keepLast",
                9,
                "memory",
                Map.of("directory", memory.toString(), "keep", kept));
    }

    private SteeredRun run(int kept) {
        var run = new SteeredRun(folder);
        run.catalog.add("checkpoint", "dcp-tiered", new TieredFactory(NamedBundle.context()));
        run.catalog.add("checkpoint", "dcp-async", new AsyncFactory(NamedBundle.context()));
        return run.with("mesh", Map.of("data", RANKS))
                .with(
                        "checkpoint",
                        Map.of("strategy", Map.of("name", "dcp-tiered", "options", options(kept)), "everySteps", 1));
    }

    /** Resumes from the newest checkpoint, if there is one. Saves after each of these steps but the last. */
    private final class Part {
        final List<Double> losses = new ArrayList<>();
        final List<CheckpointPassedOver> passedOver = new ArrayList<>();
        final long resumedFrom;

        Part(boolean resumes, int steps, boolean saves) {
            var steered = run();
            try (var strategies = new RunStrategies(steered.catalog, steered.configuration());
                    var run = LocalRun.open(strategies.configuration(), strategies.strategies());
                    var checkpoints = new RunCheckpoints(run, strategies, folder.resolve("checkpoints"))) {
                if (resumes) {
                    checkpoints.restore(() -> false).forEach(event -> passedOver.add((CheckpointPassedOver) event));
                }
                resumedFrom = run.stepsDone();
                for (int step = 0; step < steps; step++) {
                    losses.add(run.step().loss());
                    if (saves) {
                        checkpoints.save(false);
                    }
                }
            }
        }
    }

    @Test
    void resumesFromTheNewestStepAfterLosingANode() throws IOException {
        List<Double> unbroken = new Part(false, 6, false).losses;
        assertEquals(unbroken.subList(0, 4), new Part(false, 4, true).losses);
        lose(1);
        var resumed = new Part(true, 2, false);
        assertEquals(4, resumed.resumedFrom);
        assertEquals(List.of(), resumed.passedOver);
        assertEquals(unbroken.subList(4, 6), resumed.losses);
        lose(3);
        resumed = new Part(true, 3, false);
        assertEquals(3, resumed.resumedFrom);
        assertEquals(unbroken.subList(3, 6), resumed.losses);
        CheckpointPassedOver passed = resumed.passedOver.getFirst();
        assertEquals(folder.resolve("checkpoints/memory/step-00000004"), passed.path());
        assertTrue(
                passed.reason().contains("no node has a good copy of rank-00001.data, rank-00003.data"),
                passed.reason());
    }

    /** Deletes what a rank has in memory. */
    private void lose(int rank) throws IOException {
        Path root;
        try (Stream<Path> roots = Files.list(memory)) {
            root = roots.findFirst().orElseThrow();
        }
        try (Stream<Path> files = Files.walk(root.resolve("rank-%05d".formatted(rank)))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Steps 3 and 6 are on storage, 4, 5 and 7 in memory when the run is lost. */
    @Test
    void returnsToAStepInMemory() throws IOException {
        var first = run(9);
        first.after(7, () -> first.interrupted.set(true));
        first.with("checkpoint", withoutEnd(9)).run();
        var second = run(9).with("checkpoint", withoutEnd(9));
        second.after(6, () -> second.interrupted.set(true));
        second.resume(at(5));
        assertEquals(first.losses.subList(5, 6), second.losses);
        try (Stream<Path> left = Files.list(folder.resolve("steered/abandoned/after-step-5"))) {
            assertEquals(
                    List.of("memory", "step-00000006"),
                    left.map(path -> path.getFileName().toString()).sorted().toList());
        }
        var third = run(9).with("checkpoint", withoutEnd(9));
        third.after(7, () -> third.interrupted.set(true));
        third.resume();
        assertEquals(first.losses.subList(6, 7), third.losses, "continues from the new step 6, not from the old 7");
    }

    private static ResumeRequest at(long step) {
        return new ResumeRequest(OptionalLong.of(step), ScheduleChoice.UNCHANGED, List.of("train", "c.yaml"));
    }

    private Map<String, Object> withoutEnd(int kept) {
        return Map.of(
                "strategy", Map.of("name", "dcp-tiered", "options", options(kept)), "everySteps", 1, "atEnd", false);
    }

    @Test
    void savesTheLastCheckpointToStorageAndClearsMemory() throws IOException {
        var run = run().run();
        List<CheckpointSaved> saved = run.events(CheckpointSaved.class);
        assertEquals(LongStream.rangeClosed(1, SteeredRun.STEPS).boxed().toList(), steps(saved));
        for (CheckpointSaved one : saved) {
            assertEquals(one.checkpoint().step() % 3 != 0, one.checkpoint().isInMemory());
        }
        try (Stream<Path> left = Files.list(memory)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void completesSavesBeforeAChangeOfStrategy() {
        var run = run();
        var toAsync = run.change(4, "checkpoint.strategy=dcp-async");
        var back = run.change(
                8,
                "checkpoint.strategy={\"name\":\"dcp-tiered\",\"options\":{\"memory\":{\"directory\":\"" + memory
                        + "\"}}}");
        run.run();
        assertTrue(toAsync.join().granted(), () -> toAsync.join().message());
        assertTrue(back.join().granted(), () -> back.join().message());
        List<CheckpointSaved> saved = run.events(CheckpointSaved.class);
        assertEquals(LongStream.rangeClosed(1, SteeredRun.STEPS).boxed().toList(), steps(saved));
        assertTrue(saved.get(4).checkpoint().isInMemory());
        assertFalse(saved.get(6).checkpoint().isInMemory());
        assertTrue(saved.get(10).checkpoint().isInMemory());
        assertFalse(saved.getLast().checkpoint().isInMemory());
    }

    private static List<Long> steps(List<CheckpointSaved> saved) {
        return saved.stream().map(one -> one.checkpoint().step()).toList();
    }
}
