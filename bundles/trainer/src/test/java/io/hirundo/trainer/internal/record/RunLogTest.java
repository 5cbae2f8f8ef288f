package io.hirundo.trainer.internal.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.event.CheckpointEvent;
import io.hirundo.event.TrainingEvent;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.DataSection;
import io.hirundo.lib.run.section.ModelSection;
import io.hirundo.mesh.Mesh;
import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.strategy.Choice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("reads messages of the root logger")
class RunLogTest {
    @TempDir
    private Path folder;

    private Path file;
    private RunLog log;

    @BeforeEach
    void open() {
        file = folder.resolve("rank-1").resolve("log.txt");
        log = new RunLog(file, 1);
    }

    @Test
    void writesOneReadableLinePerEvent() throws IOException {
        log.on(new TrainingEvent.RunStarted(
                "tiny",
                Path.of("runs/tiny"),
                new DeviceInfo("cpu", 0, "EPYC", "amd64", 1 << 30),
                new Mesh(new LinkedHashMap<>()),
                List.of(),
                new TrainingEvent.RunPlan(1000, 1, 12, 256, 1.5e9)));
        log.on(new TrainingEvent.EvaluationCompleted(4, "validation", 2.5, 512));
        log.on(new CheckpointEvent.CheckpointSaved(
                new CheckpointInfo(Path.of("runs/tiny/step-4"), 4, 4096), 1_500_000_000L));
        log.on(new CheckpointEvent.CheckpointBegun(4, 250_000_000L));
        log.on(new CheckpointEvent.CheckpointPassedOver(4, Path.of("runs/tiny/step-8"), "it is cut off"));
        log.on(new CheckpointEvent.CheckpointTakenInPart(4, Path.of("runs/tiny/step-4"), List.of("a"), List.of()));
        var small = new TrainingEvent.LayerRounding("up", Operand.INPUT, new RoundingLoss(8, 0, 0, 1, 1e4));
        var large = new TrainingEvent.LayerRounding("down", Operand.WEIGHT, new RoundingLoss(8, 2, 1, 0.25, 4));
        log.on(new TrainingEvent.RoundingMeasured(4, List.of(small, large)));
        var kernels = Stream.of("a", "b", "c", "d", "e", "f")
                .map(name -> new KernelTime(name, 3, 500_000))
                .toList();
        log.on(new TrainingEvent.KernelsTimed(4, new KernelTimes(kernels, 4_000_000, 3_000_000)));
        log.on(new TrainingEvent.RunFinished(12, false));
        log.on(new TrainingEvent.RunFinished(5, true));

        assertEquals(
                List.of(
                        "run tiny in runs/tiny: 1000 parameters, steps 1 to 12 of 256 tokens and 1.50000e+09 model FLOP each, on cpu 0"
                                + " (EPYC, amd64)",
                        "step 4: validation loss 2.500000 over 512 tokens",
                        "step 4: checkpoint runs/tiny/step-4 saved, 4096 bytes in 1.500 s",
                        "step 4: checkpoint started, training stalled for 0.250 s",
                        "step 4: resumed from here, not from runs/tiny/step-8: it is cut off",
                        "step 4: runs/tiny/step-4 is only partly compatible; missing, initial values kept: [a]; ignored: []",
                        "step 4: quantization error is largest for WEIGHT of down: relative 0.2500, underflow 0.250, largest value 0.125",
                        "step 4: kernels of this process's first rank ran for 75.0% of 4.000 ms; longest: a 0.500 ms in 3 launches, b 0.500 ms in 3 launches,"
                                + " c 0.500 ms in 3 launches, d 0.500 ms in 3 launches, e 0.500 ms in 3 launches",
                        "finished after step 12",
                        "interrupted after step 5"),
                messages());
    }

    @Test
    void neverWritesThroughALink() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Files.createSymbolicLink(file, victim);
        var failure = assertThrows(StorageException.class, () -> log.on(new TrainingEvent.RunFinished(12, false)));
        assertEquals(
                "cannot write " + file
                        + ": it is a symbolic link, which Hirundo does not write through; remove it or choose another path",
                failure.getMessage());
        assertEquals("precious", Files.readString(victim));
    }

    @Test
    void rejectsALinkInPlaceOfTheFolderOfItsRank() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(folder.resolve("rank-2"), elsewhere);
        assertThrows(StorageException.class, () -> new RunLog(link.resolve("log.txt"), 2));
    }

    @Test
    void writesChoicesAsInAConfiguration() throws IOException {
        var d = new RunConfiguration();
        var device = new Choice("cpu", Map.of("workers", 2));
        log.strategies(
                new RunConfiguration(
                        1,
                        1,
                        d.run(),
                        new ModelSection(
                                null, "my-llama", null, null, false, d.model().exportDtype(), null, 0.05),
                        device,
                        d.precision(),
                        d.mesh(),
                        d.training(),
                        d.optimizer(),
                        d.learningRate(),
                        new DataSection(Choice.of("synthetic"), null, false, null),
                        d.evaluation(),
                        d.samples(),
                        d.fingerprints(),
                        d.checkpoint(),
                        d.swap(),
                        d.audit(),
                        List.of()),
                "7 documents",
                "the only rank: embed to head");
        log.on(new TrainingEvent.ProductsListed(List.of("GEMMs in fp8: model.even", "GEMMs in bf16 (odd): model.odd")));

        List<String> lines = messages();
        assertEquals("model from my-llama", lines.getFirst());
        assertTrue(lines.contains("device cpu {\"workers\":2}, precision fp32"), lines::toString);
        assertTrue(lines.contains("data synthetic: 7 documents"), lines::toString);
        assertTrue(lines.contains("GEMMs in bf16 (odd): model.odd"), lines::toString);
        assertFalse(lines.toString().contains("Choice["), "no record is printed raw");
        assertFalse(lines.toString().contains("Section["), "no record is printed raw");
    }

    @Test
    void writesTheStackTraceOfAFailureAndContinuesTheLog() throws IOException {
        log.on(new TrainingEvent.RunFailed(3, new IllegalStateException("a failure of the test")));
        new RunLog(file, 1).on(new TrainingEvent.RunFinished(12, false));

        List<String> lines = messages();
        assertEquals("failed after step 3: java.lang.IllegalStateException: a failure of the test", lines.getFirst());
        assertTrue(lines.get(1).strip().startsWith("at "), lines::toString);
        assertEquals("finished after step 12", lines.getLast());
    }

    /** Log lines without their time. Also checks that each line names its rank. */
    @Test
    void containsLogMessagesOfBundlesDuringTheRun() throws IOException {
        var bundle = Logger.getLogger("com.example.bundle");
        try (var _ = new LogCapture(log, new MissedEvents())) {
            bundle.log(Level.WARNING, "plugin {0} is not used", "cut.jar");
            bundle.fine("not logged");
        }
        bundle.warning("too late");

        assertEquals(List.of("WARNING plugin cut.jar is not used"), messages());
    }

    private List<String> messages() throws IOException {
        return Files.readAllLines(file).stream()
                .map(line -> line.replaceFirst("^[-0-9T:.]+Z rank 1 ", ""))
                .toList();
    }
}
