package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.indexed.TokenType;
import io.hirundo.dataloader.internal.sampling.IndexedFactory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.testkit.CtrlC;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.loop.TrainingLoop;
import io.hirundo.trainer.internal.service.RunInspection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run on a dataset that is resumed with another number of steps. */
class ExtendedRunTest {
    private static final long FEW = 6;
    private static final long MANY = 20;

    @TempDir
    private Path folder;

    /** Forty sequences of sixteen tokens: ten steps of four samples are an epoch. */
    @BeforeEach
    void writeDataset() {
        write("set");
    }

    private void write(String name) {
        var random = new Random(1);
        try (var writer = IndexedDatasetWriter.create(folder.resolve(name), TokenType.U16)) {
            for (int document = 0; document < 40; document++) {
                writer.add(random.ints(16, 0, 96).toArray());
            }
            writer.commit(_ -> null);
        }
    }

    private SteeredRun run(String name, long steps, Map<String, Object> order, Map<String, Object> data) {
        var run = new SteeredRun(folder.resolve(name));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.catalog.add("data", "indexed", new IndexedFactory(new CtrlC()));
        Map<String, Object> options = new HashMap<>(order);
        options.put("blend", List.of(Map.of("prefix", folder.resolve("set").toString(), "weight", 1)));
        options.putIfAbsent("split", "1");
        Map<String, Object> section = new HashMap<>(data);
        section.put("source", Map.of("name", "indexed", "options", options));
        return run.with("data", section)
                .with("checkpoint", Map.of("strategy", "sync"))
                .with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4));
    }

    private SteeredRun run(String name, long steps, String order) {
        return run(name, steps, Map.of("order", order), Map.of());
    }

    @Test
    void extendedRunEqualsTheLongRunBitwise() {
        List<Double> once = run("once", MANY, Map.of(), Map.of()).run().losses;
        List<Double> twice = run("twice", FEW, Map.of(), Map.of()).run().losses;
        twice.addAll(run("twice", MANY, Map.of(), Map.of()).resume().losses);
        assertEquals(once, twice);
        assertEquals(MANY, twice.size());
    }

    @Test
    void rejectsStepsThatChangeMegatronsOrder() {
        run("run", FEW, "megatron").run();
        var failure = assertThrows(
                ConfigurationException.class, () -> run("run", MANY, "megatron").resume());
        assertTrue(failure.getMessage().startsWith("training.steps: Megatron's order"), failure.getMessage());
        assertTrue(failure.getMessage().contains("--set data.allowOrderChange=true"), failure.getMessage());
        // The same number of epochs gives the same order.
        assertEquals(2, run("run", FEW + 2, "megatron").resume().losses.size());
        var allowed = run("run", MANY, Map.of("order", "megatron"), Map.of("allowOrderChange", true))
                .resume();
        assertEquals(MANY - FEW - 2, allowed.losses.size());
    }

    @Test
    void rejectsResumeInAnotherOrder() {
        run("run", FEW, "megatron").run();
        var failure = assertThrows(
                ConfigurationException.class,
                () -> run("run", MANY, Map.of(), Map.of()).resume());
        assertTrue(failure.getMessage().contains("add --set data.source.options.order=megatron"), failure.getMessage());
        assertTrue(Files.exists(folder.resolve("run/steered/checkpoints/step-00000006")));
    }

    @Test
    void rejectsAChangeWhoseTablesDoNotFitAndContinues() {
        // A blend needs six bytes per sample, at four samples per step: 1.2 times the heap in Megatron's order, nothing
        // in the default order.
        long steps = Runtime.getRuntime().maxMemory() / 20;
        var run = run("run", steps, Map.of(), Map.of()).with("checkpoint", Map.of("strategy", "sync", "atEnd", false));
        String blend = "blend: [{prefix: " + folder.resolve("other") + ", weight: 1}, {prefix: "
                + folder.resolve("third") + ", weight: 1}], split: \"1\", order: megatron";
        write("other");
        write("third");
        var decision = run.change(2, "data.source={name: indexed, options: {" + blend + "}}");
        run.after(5, () -> run.interrupted.set(true)).run();
        assertFalse(decision.join().granted());
        assertTrue(
                decision.join().message().startsWith("data.source.options.order: megatron needs"),
                decision.join().message());
        assertEquals(run("same", MANY, Map.of(), Map.of()).run().losses.subList(0, 5), run.losses.subList(0, 5));
    }

    /** Rewrites the manifest like those of versions that did not record the order. */
    private void forgetOrder(String name, String before) throws IOException {
        Path manifest = folder.resolve(name).resolve("steered/checkpoints/step-00000006/manifest.json");
        String text = Files.readString(manifest);
        assertTrue(text.contains(before), text);
        int begin = text.indexOf("\"manifest\":") + "\"manifest\":".length();
        String body =
                text.substring(begin, text.length() - "}\n".length()).replace(before, "\"x" + before.substring(1));
        var sum = new CRC32C();
        sum.update(body.getBytes(StandardCharsets.UTF_8));
        Files.writeString(manifest, "{\"crc32c\":\"%08x\",\"manifest\":%s}\n".formatted(sum.getValue(), body));
    }

    @Test
    void rejectsOtherOrdersAndStepsForACheckpointThatRecordsNoOrder() throws IOException {
        List<Double> once = run("once", FEW + 2, "megatron").run().losses;
        List<Double> twice = run("run", FEW, "megatron").run().losses;
        forgetOrder("run", "\"dataOrder\"");
        var failure = assertThrows(
                ConfigurationException.class,
                () -> run("run", FEW + 2, Map.of(), Map.of()).resume());
        assertTrue(failure.getMessage().contains("does not record the order"), failure.getMessage());
        // Whether these steps have the same order is known only for the first six.
        failure = assertThrows(
                ConfigurationException.class,
                () -> run("run", FEW + 2, "megatron").resume());
        assertTrue(failure.getMessage().contains("add --set training.steps=6; or accept"), failure.getMessage());
        twice.addAll(run("run", FEW + 2, Map.of("order", "megatron"), Map.of("allowOrderChange", true))
                .resume()
                .losses);
        assertEquals(once, twice);
    }

    private void assertOrderConflict(String said, SteeredRun run, String assignment) {
        var failure = assertThrows(ConfigurationException.class, run::resume);
        assertTrue(failure.getMessage().startsWith(said), failure.getMessage());
        assertTrue(failure.getMessage().endsWith("with --set data.allowOrderChange=true"), failure.getMessage());
        failure = assertThrows(
                ConfigurationException.class,
                // No listener, because nothing may be reported.
                () -> new RunInspection(run.catalog)
                        .inspect(folder.resolve("run/steered"), List.of(assignment), 1, null));
        assertTrue(failure.getMessage().startsWith(said), failure.getMessage());
    }

    @Test
    void rejectsOtherDataUnlessItIsAllowed() {
        run("run", FEW, Map.of(), Map.of()).run();
        var shorter = Map.<String, Object>of("steps", FEW + 2, "sequenceTokens", 8, "globalBatch", 4);
        assertOrderConflict(
                "training.sequenceTokens: 8 cannot continue samples of 16 tokens; add",
                run("run", FEW, Map.of(), Map.of()).with("training", shorter),
                "training.sequenceTokens=8");
        assertOrderConflict(
                "data.source.options.split: ",
                run("run", FEW + 2, Map.of("split", "9,1"), Map.of()),
                "data.source.options.split=\"9,1\"");
        var allowed = run("run", FEW + 2, Map.of("split", "9,1"), Map.of("allowOrderChange", true));
        assertEquals(2, allowed.resume().losses.size());
    }

    /** Sizes and times of all files of a run. */
    private Map<String, FileTime> files(String name) throws IOException {
        var files = new TreeMap<String, FileTime>();
        try (var all = Files.walk(folder.resolve(name))) {
            for (Path file : all.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith(".lock"))
                    .toList()) {
                files.put(folder.relativize(file) + " " + Files.size(file), Files.getLastModifiedTime(file));
            }
        }
        return files;
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 5, FEW})
    void leavesAFinishedRunUnchanged(long steps) throws IOException {
        run("run", FEW, Map.of(), Map.of()).run();
        var before = files("run");
        var again = run("run", steps, Map.of(), Map.of()).resume();
        assertEquals(new TrainingLoop.Ending(FEW, false, true), again.ending);
        assertEquals(List.of(), again.events);
        assertEquals(before, files("run"));
    }

    @Test
    void finishesARunThatWasKilledAfterItsLastCheckpoint() throws IOException {
        run("run", FEW, Map.of(), Map.of()).run();
        // The state after a kill that follows the last checkpoint.
        Files.delete(folder.resolve("run/steered/ended"));
        var again = run("run", FEW, Map.of(), Map.of()).resume();
        assertFalse(again.ending.hadEnded());
        assertEquals(1, again.events(TrainingEvent.RunFinished.class).size());
        assertTrue(run("run", FEW, Map.of(), Map.of()).resume().ending.hadEnded());
    }
}
