package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.session.LocalRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A checkpoint that was saved before master weights were sharded loads in every data-parallel mode, and the run continues as it did then.
 * The resource's README says how it was made.
 */
class OldCheckpointTest {
    /** Of steps 4 to 6, by the code that saved it, on two ranks in FP32. */
    private static final double[] LOSSES = {3.382870757185044, 3.2901697201414573, 3.162072504945045};

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "fp32, 2, zero1, 1e-6",
        "fp32, 2, zero2, 1e-6",
        "fp32, 2, fsdp, 1e-6",
        "fp32, 1, zero1, 1e-6",
        "bf16, 2, zero1, 1e-3",
        "bf16, 4, zero2, 1e-3",
        "bf16, 2, fsdp, 1e-3"
    })
    void loadsAndContinuesInEveryMode(String precision, int data, String mode, double tolerance) throws IOException {
        Path checkpoints = folder.resolve("checkpoints");
        unpack(checkpoints);
        var sizes = Map.of(
                "vocabSize",
                48,
                "hiddenSize",
                16,
                "intermediateSize",
                24,
                "numHiddenLayers",
                1,
                "numAttentionHeads",
                2,
                "numKeyValueHeads",
                1,
                "maxPositionEmbeddings",
                16);
        var steered = new SteeredRun(folder)
                .with("model", Map.of("architecture", Map.of("name", "llama", "options", sizes), "export", false))
                .with("training", Map.of("steps", 6, "sequenceTokens", 16, "globalBatch", 4))
                .with("learningRate", Map.of("name", "constant", "options", Map.of("peak", 0.01)))
                .with("data", Map.of("source", Map.of("name", "synthetic", "options", Map.of("vocabulary", 48))))
                .with("mesh", Map.of("data", data, "dataParallel", mode))
                .with("checkpoint", Map.of("strategy", "sync"));
        steered.document.put("precision", precision);
        steered.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        try (var strategies = new RunStrategies(steered.catalog, steered.configuration());
                var run = LocalRun.open(strategies.configuration(), strategies.strategies());
                var saved = new RunCheckpoints(run, strategies, checkpoints)) {
            saved.restore(() -> false);
            for (double loss : LOSSES) {
                assertEquals(1, run.step().loss() / loss, tolerance);
            }
        }
    }

    private static void unpack(Path into) throws IOException {
        try (var zip = new ZipInputStream(OldCheckpointTest.class.getResourceAsStream("/old-layout/checkpoints.zip"))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = into.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
    }
}
