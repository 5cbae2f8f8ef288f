package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.TightBackend;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Device memory of a run that is resumed with moments in 8 bits, while it loads those of the checkpoint in FP32. */
class ConvertedMemoryTest {
    private static final int SIZE = 128;
    private static final int VOCABULARY = 96;
    private static final int RANKS = 2;
    private static final long MATRIX_BYTES = 4L * SIZE * SIZE;

    /** Of a rank, in FP32, without those of norms. */
    private static final long GRADIENT_BYTES = (7 * MATRIX_BYTES + 2 * 4L * VOCABULARY * SIZE) / RANKS;

    @TempDir
    private Path folder;

    private SteeredRun run(TightBackend backend, boolean eightBits) {
        var run = new SteeredRun(folder);
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.catalog.add("device", "tight", new Fixed<>(ComputeBackend.class, backend));
        var sizes = Map.of(
                "vocabSize",
                VOCABULARY,
                "hiddenSize",
                SIZE,
                "intermediateSize",
                SIZE,
                "numHiddenLayers",
                1,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                4,
                "maxPositionEmbeddings",
                16);
        return run.with("checkpoint", Map.of("strategy", "sync"))
                .with("device", Map.of("name", "tight"))
                .with("model", Map.of("architecture", Map.of("name", "llama", "options", sizes), "export", false))
                .with("optimizer", Map.of("name", "adamw", "options", Map.of("eightBitState", eightBits)))
                .with("mesh", Map.of("data", RANKS))
                .with("training", Map.of("steps", 1, "sequenceTokens", 16, "globalBatch", 4));
    }

    /** {@code bytes}: what each device may hold more than it holds without gradients before the checkpoint is loaded; empty: any number. */
    private void restore(OptionalLong bytes) {
        run(new TightBackend(), false).run();
        var backend = new TightBackend();
        SteeredRun steered = run(backend, true);
        try (var strategies = new RunStrategies(steered.catalog, steered.configuration());
                LocalRun run = LocalRun.open(strategies.configuration(), strategies.strategies())) {
            var checkpoints = new RunCheckpoints(
                    run, strategies, folder.resolve("steered").resolve("checkpoints"));
            try {
                assertTrue(backend.live(MemoryCategory.GRADIENTS) > 0);
                bytes.ifPresent(limit -> {
                    run.forEachRank(part -> part.model().sharded().releaseGradients());
                    backend.leave(limit);
                });
                checkpoints.restore(() -> false);
                assertEquals(0, backend.live(MemoryCategory.GRADIENTS));
            } finally {
                checkpoints.close();
            }
        }
    }

    @Test
    void resumeReleasesGradients() {
        restore(OptionalLong.empty());
    }

    /** Both moments together take twice as much. */
    @Test
    void isThatOfTheGradients() {
        restore(OptionalLong.of(GRADIENT_BYTES + 4096));
    }

    @Test
    void saysWhatDoesNotFit() {
        String message = assertThrows(DeviceException.class, () -> restore(OptionalLong.of(MATRIX_BYTES / RANKS - 1)))
                .getMessage();
        assertTrue(
                message.startsWith("--resume: not enough device memory to convert the checkpoint's optimizer state; "),
                message);
        assertTrue(message.contains("optimizer.options") && message.contains("the test leaves no room for "), message);
    }
}
