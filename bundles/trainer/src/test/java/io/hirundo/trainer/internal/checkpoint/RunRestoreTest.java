package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that resumes from damaged checkpoints. */
class RunRestoreTest {
    private static final int FLIPS = 50;

    @TempDir
    private Path folder;

    private Path checkpoints;

    @BeforeEach
    void train() {
        run(1, "fail").run();
        checkpoints = folder.resolve("steered").resolve("checkpoints");
    }

    /** A run of {@link SteeredRun#STEPS} steps that keeps the checkpoints of steps 4, 8 and 12. */
    private SteeredRun run(int ranks, String onDamage) {
        var run = new SteeredRun(folder);
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run.with("mesh", Map.of("data", ranks))
                .with(
                        "checkpoint",
                        Map.of(
                                "strategy",
                                Map.of("name", "sync", "options", Map.of("keepLast", 3, "chunkBytes", 4096)),
                                "everySteps",
                                4,
                                "onDamage",
                                onDamage));
    }

    /** An open run that can be restored repeatedly. */
    private final class Resumed implements AutoCloseable {
        final RunStrategies strategies;
        final LocalRun run;
        final RunCheckpoints checkpoints;

        Resumed(int ranks, String onDamage) {
            var steered = run(ranks, onDamage);
            strategies = new RunStrategies(steered.catalog, steered.configuration());
            run = LocalRun.open(strategies.configuration(), strategies.strategies());
            checkpoints = new RunCheckpoints(run, strategies, RunRestoreTest.this.checkpoints);
        }

        List<CheckpointPassedOver> restore() {
            return checkpoints.restore(() -> false).stream()
                    .map(CheckpointPassedOver.class::cast)
                    .toList();
        }

        /** Checksum of the step and of every byte of the training state. */
        List<Long> state() {
            return Stream.concat(Stream.of(run.stepsDone()), run.onEachRank(this::sumOf).stream())
                    .toList();
        }

        private long sumOf(RankRun part) {
            var sum = new CRC32C();
            var model = part.model();
            try (Arena arena = Arena.ofConfined()) {
                for (StateShard shard : part.state().shards()) {
                    MemorySegment host = arena.allocate(shard.local().byteSize(), 64);
                    model.device().transfer().download(model.queue(), shard.local(), host);
                    model.queue().drain();
                    sum.update(host.asByteBuffer());
                }
            }
            return sum.getValue();
        }

        @Override
        public void close() {
            checkpoints.close();
            run.close();
            strategies.close();
        }
    }

    private Path file(long step, String name) {
        return checkpoints.resolve("step-%08d".formatted(step)).resolve(name);
    }

    /** Flips one bit in a file of the newest checkpoint, and restores it on close. */
    private record Flip(Path file, byte[] sound) implements AutoCloseable {
        static Flip anywhere(List<Path> files, Random random) throws IOException {
            Path file = files.get(random.nextInt(files.size()));
            byte[] sound = Files.readAllBytes(file);
            byte[] damaged = sound.clone();
            damaged[random.nextInt(sound.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, damaged);
            return new Flip(file, sound);
        }

        @Override
        public void close() throws IOException {
            Files.write(file, sound);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void neverLoadsACheckpointWithAFlippedBit(int ranks) throws Exception {
        var random = new Random(5);
        List<Path> files = List.of(file(12, "manifest.json"), file(12, "rank-00000.data"));
        try (var resumed = new Resumed(ranks, "previous")) {
            assertEquals(List.of(), resumed.restore());
            List<Long> newest = resumed.state();
            Path aside = Files.move(files.getFirst().getParent(), folder.resolve("aside"));
            assertEquals(List.of(), resumed.restore());
            List<Long> older = resumed.state();
            assertEquals(8, older.getFirst());
            Files.move(aside, files.getFirst().getParent());
            int found = 0;
            for (int flip = 0; flip < FLIPS; flip++) {
                try (var damage = Flip.anywhere(files, random)) {
                    List<CheckpointPassedOver> passed = resumed.restore();
                    // Padding between the chunks of a data file has no meaning.
                    assertEquals(passed.isEmpty() ? newest : older, resumed.state(), damage.file()::toString);
                    found += passed.size();
                    passed.forEach(event -> {
                        assertEquals(8, event.step());
                        assertEquals(files.getFirst().getParent(), event.path());
                        assertTrue(event.reason().contains(damage.file().toString()), event.reason());
                    });
                }
            }
            assertTrue(found > FLIPS / 2, found + " of " + FLIPS + " found");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void namesTheNewestGoodCheckpointIfSkippingIsOff(int ranks) throws Exception {
        truncate(file(12, "manifest.json"));
        flipFirstByte(file(8, "rank-00000.data"));
        try (var resumed = new Resumed(ranks, "fail")) {
            var failure = assertThrows(CheckpointException.class, resumed::restore);
            assertEquals(
                    "--resume: " + file(12, "manifest.json")
                            + " is cut off or not a manifest; the newest good checkpoint is "
                            + checkpoints.resolve("step-00000004")
                            + ": add --set checkpoint.onDamage=previous to continue from it",
                    failure.getMessage());
        }
    }

    @Test
    void reportsAllSkippedCheckpoints() throws Exception {
        Files.delete(file(12, "rank-00000.data"));
        flipFirstByte(file(8, "rank-00000.data"));
        try (var resumed = new Resumed(2, "previous")) {
            assertEquals(
                    List.of(checkpoints.resolve("step-00000012"), checkpoints.resolve("step-00000008")),
                    resumed.restore().stream().map(CheckpointPassedOver::path).toList());
            assertEquals(4, resumed.run.stepsDone());
        }
    }

    @Test
    void ignoresDamageOfOlderCheckpoints() throws Exception {
        truncate(file(8, "manifest.json"));
        try (var resumed = new Resumed(1, "fail")) {
            assertEquals(List.of(), resumed.restore());
            assertEquals(12, resumed.run.stepsDone());
        }
    }

    @Test
    void failsWithoutAGoodCheckpoint() throws Exception {
        for (int step : List.of(4, 8, 12)) {
            truncate(file(step, "manifest.json"));
        }
        try (var resumed = new Resumed(1, "previous")) {
            var failure = assertThrows(CheckpointException.class, resumed::restore);
            assertTrue(failure.getMessage().contains("step-00000012/manifest.json is cut off"), failure.getMessage());
            assertTrue(
                    failure.getMessage().contains("there is no good checkpoint in " + checkpoints),
                    failure.getMessage());
        }
    }

    private static void truncate(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
    }

    private static void flipFirstByte(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[0] ^= 1;
        Files.write(file, bytes);
    }
}
