package io.hirundo.trainer.internal.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.BusyException;
import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.data.DataCursor;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.data.BatchReader;
import io.hirundo.lib.engine.layer.OperandObserver;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.RunInspector;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.data.RunData;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Inspection of the layer operands of a finished run. */
class RunInspectionTest {
    @TempDir
    private Path folder;

    private SteeredRun run(Map<String, Object> mesh) {
        var run = new SteeredRun(folder).with("mesh", mesh);
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run.with("checkpoint", Map.of("strategy", Map.of("name", "sync")));
    }

    /** Records operands in FP32 or BF16. */
    private static final class Seen implements RunInspector.Visitor {
        final List<RunInspector.Inspected> begun = new ArrayList<>();
        /** By microbatch and layer: x, dy and w. */
        final Map<String, List<float[]>> operands = new LinkedHashMap<>();

        int ends;

        @Override
        public void begin(RunInspector.Inspected inspected) {
            begun.add(inspected);
        }

        @Override
        public void end() {
            ends++;
        }

        @Override
        public void operands(int microbatch, RunInspector.LayerOperands layer) {
            var values = Stream.of(layer.xTK(), layer.dyTN(), layer.wNK())
                    .map(each -> values(layer.device(), layer.queue(), each))
                    .toList();
            assertEquals(layer.shape().outputs() * layer.shape().inputs(), values.get(2).length);
            assertEquals(null, operands.put(microbatch + " " + layer.shape().name(), values));
        }
    }

    private static float[] values(Device device, Queue queue, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(tensor.byteSize(), 64);
            device.transfer().download(queue, tensor, host);
            queue.drain();
            if (tensor.dtype() == DType.FP32) {
                return host.toArray(ValueLayout.JAVA_FLOAT);
            }
            assertEquals(DType.BF16, tensor.dtype());
            var values = new float[(int) tensor.elements()];
            for (int index = 0; index < values.length; index++) {
                values[index] = Float.intBitsToFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, index) << 16);
            }
            return values;
        }
    }

    /** With the scales with which the run would continue. */
    @Test
    void loadsGemmStateOfEarlierSteps() {
        var run = run(Map.of())
                .with("precision", Map.of("name", "fp8-delayed", "options", Map.of("history", 3)))
                .run();
        var inspected = inspected(run, List.of());

        var last = new LinkedHashMap<String, List<float[]>>();
        try (var strategies = new RunStrategies(run.catalog, run.configuration());
                var open = LocalRun.open(strategies.configuration(), strategies.strategies());
                var checkpoints = new RunCheckpoints(
                        open, strategies, folder.resolve("steered").resolve("checkpoints"));
                var data = RunData.open(
                        strategies.configuration(), strategies.strategies().data(), DataCursor.BEGINNING)) {
            checkpoints.restore(() -> false);
            open.onEachRank(part -> {
                var model = part.model();
                var training = strategies.configuration().training();
                // The last entry of the run's history, which has as many entries as the microbatch.
                var batch = new BatchReader(
                                data.samples(),
                                training.sequenceTokens(),
                                model.spec().vocabulary())
                        .read(Split.TRAINING, LongStream.range(48 - training.microBatch(), 48));
                OperandObserver first = (queue, weight, xTK, dyTN) -> last.putIfAbsent(
                        weight.spec().name(),
                        List.of(values(model.device(), queue, xTK), values(model.device(), queue, dyTN)));
                try (var _ = model.blocks().layers().observe(first)) {
                    new StepRunner(model, null, training.step()).accumulateGradients(batch);
                }
                return null;
            });
        }
        assertEquals(17, last.size());
        last.forEach((layer, operands) -> {
            assertArrayEquals(
                    operands.get(0), inspected.operands.get("0 " + layer).get(0), layer);
            assertArrayEquals(
                    operands.get(1), inspected.operands.get("0 " + layer).get(1), layer);
        });
        // A history of another length is not restored.
        var empty = inspected(run, List.of("precision.options.history=4"));
        String first = "0 model.layers.0.self_attn.qkv.weight";
        assertFalse(Arrays.equals(
                empty.operands.get(first).get(1), inspected.operands.get(first).get(1)));
    }

    /** Inspection needs no saved operands: the same weights, samples and history give the same bits. */
    @Test
    void reproducesTheOperandsOfTraining() throws Exception {
        int saved = 5;
        var run = run(Map.of())
                .with("precision", Map.of("name", "fp8-delayed", "options", Map.of("history", 3)))
                .with(
                        "checkpoint",
                        Map.of(
                                "strategy",
                                Map.of("name", "sync", "options", Map.of("keepLast", 3)),
                                "everySteps",
                                saved,
                                "atEnd",
                                false))
                .run();
        // As if the run had been stopped at the first checkpoint.
        Path later = folder.resolve("steered").resolve("checkpoints").resolve("step-%08d".formatted(2 * saved));
        Files.move(later, folder.resolve("later"));
        var inspected = inspected(run, List.of());
        assertEquals(saved, inspected.begun.getFirst().step());

        var trained = new LinkedHashMap<String, List<float[]>>();
        try (var strategies = new RunStrategies(run.catalog, run.configuration());
                var open = LocalRun.open(strategies.configuration(), strategies.strategies())) {
            for (int step = 0; step < saved; step++) {
                open.step();
            }
            var model = open.first();
            OperandObserver first = (queue, weight, xTK, dyTN) -> trained.computeIfAbsent(
                    weight.spec().name(),
                    _ -> Stream.of(xTK, dyTN, weight.value())
                            .map(each -> values(model.device(), queue, each))
                            .toList());
            try (var _ = model.blocks().layers().observe(first)) {
                open.step();
            }
        }
        assertEquals(17, trained.size());
        trained.forEach((layer, operands) -> {
            for (int operand = 0; operand < operands.size(); operand++) {
                assertArrayEquals(
                        operands.get(operand),
                        inspected.operands.get("0 " + layer).get(operand),
                        layer + " " + operand);
            }
        });
    }

    private Seen inspected(SteeredRun run, List<String> assignments) {
        var seen = new Seen();
        new RunInspection(run.catalog).inspect(folder.resolve("steered"), assignments, 1, seen);
        assertEquals(1, seen.ends);
        return seen;
    }

    /** The weights of the last step, unsharded; the gradient is recomputed from the operands. */
    @Test
    void visitsTheOperandsOfEveryLayer() throws Exception {
        var run = run(Map.of("tensor", 2, "data", 2)).run();
        Map<Path, Long> before = files();
        var seen = new Seen();
        new RunInspection(run.catalog).inspect(folder.resolve("steered"), List.of("evaluation.samples=3"), 2, seen);

        assertEquals(
                List.of((long) SteeredRun.STEPS),
                seen.begun.stream().map(RunInspector.Inspected::step).toList());
        assertEquals("fp32", seen.begun.getFirst().precision().name());
        assertEquals(2 * (4 * 4 + 1), seen.operands.size());
        var alone = run(Map.of());
        try (var strategies = new RunStrategies(alone.catalog, alone.configuration());
                var open = LocalRun.open(strategies.configuration(), strategies.strategies());
                var checkpoints = new RunCheckpoints(
                        open, strategies, folder.resolve("steered").resolve("checkpoints"))) {
            checkpoints.restore(() -> false);
            for (var parameter : open.parameters()) {
                var operands = seen.operands.get("1 " + parameter.spec().name());
                if (operands != null) {
                    assertArrayEquals(
                            values(open.device(), open.first().queue(), parameter.value()),
                            operands.get(2),
                            parameter.spec().name());
                }
            }
        }
        assertEquals(before, files());
        List<float[]> first = seen.operands.get("0 model.layers.0.mlp.down_proj.weight");
        assertEquals(16 * 64, first.get(0).length);
        assertEquals(16 * 32, first.get(1).length);
        assertTrue(
                first.get(0)[7]
                        != seen.operands.get("1 model.layers.0.mlp.down_proj.weight")
                                .get(0)[7],
                "another microbatch");
    }

    private Map<Path, Long> files() throws IOException {
        var sizes = new TreeMap<Path, Long>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile)
                    .filter(path -> !path.endsWith(".lock"))
                    .toList()) {
                sizes.put(file, Files.getLastModifiedTime(file).toMillis() * 31 + Files.size(file));
            }
        }
        return sizes;
    }

    @Test
    void rejectsFoldersWithoutARunOrACheckpoint() {
        var inspection = new RunInspection(run(Map.of()).catalog);
        var none =
                assertThrows(ConfigurationException.class, () -> inspection.inspect(folder, List.of(), 1, new Seen()));
        assertTrue(none.getMessage().endsWith("it has no config.json; give runs/NAME"), none.getMessage());

        run(Map.of())
                .with("checkpoint", Map.of("strategy", Map.of("name", "sync"), "atEnd", false))
                .run();
        Path run = folder.resolve("steered");
        assertThrows(CheckpointException.class, () -> inspection.inspect(run, List.of(), 1, new Seen()));
    }

    @Test
    void rejectsMoreMicrobatchesThanTheRunHas() {
        run(Map.of()).run();
        var inspection = new RunInspection(run(Map.of()).catalog);
        var failure = assertThrows(
                ConfigurationException.class,
                () -> inspection.inspect(folder.resolve("steered"), List.of(), 49, new Seen()));
        assertTrue(failure.getMessage().contains("48 of the run"), failure.getMessage());
    }

    @Test
    void namesAnActiveRunByThePathThatTheUserTyped() throws IOException {
        var run = run(Map.of());
        Path configuration = Files.createDirectories(folder.resolve("steered")).resolve("config.json");
        Files.writeString(configuration, ConfigurationBinder.json(run.configuration()));
        Path typed = folder.resolve("elsewhere").resolve("..").resolve("steered");
        try (var _ = RunDirectory.open(run.configuration().run(), true)) {
            var inspection = new RunInspection(run.catalog);
            var busy = assertThrows(BusyException.class, () -> inspection.inspect(typed, List.of(), 1, new Seen()));
            assertEquals(typed + ": the run is active; wait for its end or stop it, then try again", busy.getMessage());
        }
    }
}
