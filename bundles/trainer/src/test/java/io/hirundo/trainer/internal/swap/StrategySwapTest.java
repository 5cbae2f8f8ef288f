package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.train.ChangeProgress.Phase;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.TightBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategySwapTest {
    private static final Map<String, Object> PIPELINE = Map.of("pipeline", 2, "data", 2);

    /** Losses of runs without a change, which several tests compare with. */
    private static final Map<Object, List<Double>> UNCHANGED = new ConcurrentHashMap<>();

    @TempDir
    private Path folder;

    private int runs;

    private SteeredRun prepared() {
        return new SteeredRun(folder.resolve("run-" + runs++));
    }

    private List<Double> unchanged() {
        return unchanged(Map.of());
    }

    private List<Double> unchanged(Map<String, Object> mesh) {
        return unchanged(mesh, "fp32");
    }

    private List<Double> unchanged(Map<String, Object> mesh, String precision) {
        return UNCHANGED.computeIfAbsent(
                List.of(mesh, precision),
                _ -> prepared()
                        .with("mesh", mesh)
                        .with("precision", Map.of("name", precision))
                        .run()
                        .losses);
    }

    @Test
    void equalStrategyChangesNoBit() {
        var run = prepared();
        var decision = run.change(3, "precision=faulty");
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        assertEquals(4, decision.join().step());
        assertEquals(unchanged(), run.losses);
        var event = run.events(TrainingEvent.StrategiesChanged.class).getFirst();
        assertEquals(4, event.step());
        assertTrue(
                event.changes().getFirst().startsWith("precision: \"fp32\" to {\"name\":\"faulty\""), event.toString());
        assertTrue(event.parity().endsWith("of what its operands and types explain"), event.parity());
    }

    @ParameterizedTest
    @CsvSource({
        "transposed-weight-gradient, the weight gradient of model.layers.1.self_attn.o_proj.weight is off by",
        "overwritten-weight-gradient, it replaces the weight gradient of model.layers.1.self_attn.o_proj.weight",
        "unclosable, the weight gradient of model.layers.1.self_attn.o_proj.weight is off by",
        "throws, 'it failed at the preparation of model.layers.1.self_attn.o_proj.weight (32 outputs, 32 inputs):"
                + " out of luck'",
        "trips, 'the parity check: it failed at the weight gradient of model.layers.1.self_attn.o_proj.weight (16 tokens, 32 outputs, 32 inputs):"
                + " fell over a microbatch'",
        "rejects, it does not like it",
    })
    void rejectsFaultyStrategiesWithoutATrace(String fault, String reason) {
        var run = prepared().with("mesh", PIPELINE);
        var decision = run.change(3, "precision.name=faulty", "precision.options.fault=" + fault);
        run.run();
        assertFalse(decision.join().granted());
        assertTrue(decision.join().message().contains(reason), decision.join().message());
        assertEquals(unchanged(PIPELINE), run.losses);
        assertEquals(1, run.events(TrainingEvent.ChangeRejected.class).size());
    }

    @Test
    void checksLargerMicrobatchesWithTensorParallelism() {
        var training = Map.of("steps", SteeredRun.STEPS, "sequenceTokens", 16, "globalBatch", 4, "microBatch", 2);
        Map<String, Object> mesh = Map.of("tensor", 2, "pipeline", 2);
        var run = prepared().with("mesh", mesh).with("training", training);
        var rejected = run.change(2, "precision.name=faulty", "precision.options.fault=overwritten-weight-gradient");
        var granted = run.change(5, "precision=faulty");
        run.run();
        assertTrue(
                rejected.join().message().contains("the weight gradient of"),
                rejected.join().message());
        assertTrue(granted.join().granted(), granted.join().message());
        assertEquals(prepared().with("mesh", mesh).with("training", training).run().losses, run.losses);
    }

    @ParameterizedTest
    @CsvSource({"fsdp, false", "zero1, true"})
    void changesPrecisionOfShardedWeightsAndWithLateGradients(String mode, boolean late) {
        Map<String, Object> dataParallel = Map.of("name", mode, "options", Map.of("lateGradients", late));
        Map<String, Object> mesh = Map.of("pipeline", 2, "data", 2, "dataParallel", dataParallel);
        var run = prepared().with("mesh", mesh);
        var rejected = run.change(1, "precision.name=faulty", "precision.options.fault=transposed-weight-gradient");
        var there = run.change(4, "precision=bf16");
        var back = run.change(8, "precision=fp32");
        run.run();
        assertTrue(
                rejected.join().message().contains("the weight gradient of"),
                rejected.join().message());
        assertTrue(there.join().granted(), there.join().message());
        assertTrue(back.join().granted(), back.join().message());
        List<Double> expected = unchanged(mesh);
        assertEquals(expected.subList(0, 5), run.losses.subList(0, 5));
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(expected.get(step), run.losses.get(step), 0.01, "step " + (step + 1));
        }
    }

    @ParameterizedTest
    @CsvSource({"tensor, 2, data, 2", "pipeline, 2, context, 2"})
    void changesFromFp32ToBf16AndBack(String axis, int size, String otherAxis, int otherSize) {
        Map<String, Object> mesh = Map.of(axis, size, otherAxis, otherSize);
        var run = prepared().with("mesh", mesh);
        var there = run.change(2, "precision=bf16");
        var back = run.change(6, "precision=fp32");
        run.run();
        assertTrue(there.join().granted(), there.join().message());
        assertTrue(back.join().granted(), back.join().message());
        List<Double> expected = unchanged(mesh);
        assertEquals(expected.subList(0, 3), run.losses.subList(0, 3));
        assertNotEquals(expected.get(4), run.losses.get(4));
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(expected.get(step), run.losses.get(step), 0.01, "step " + (step + 1));
        }
    }

    /** The parity check needs as many rows as a step, or scales of earlier steps would not fit. */
    @ParameterizedTest
    @CsvSource({"bf16", "fp32", "fp8-current", "fp8-blockwise"})
    void changesFromDelayedScaling(String precision) {
        var run = prepared().with("precision", Map.of("name", "fp8-delayed"));
        run.document.put(
                "training", Map.of("steps", SteeredRun.STEPS, "sequenceTokens", 16, "globalBatch", 8, "microBatch", 2));
        var away = run.change(5, "precision=" + precision);
        var back = run.change(8, "precision=fp8-delayed");
        run.run();
        assertTrue(away.join().granted(), away.join().message());
        assertTrue(back.join().granted(), back.join().message());
    }

    /** {@code hirundo.gates} changes: the gate never rejects a correct strategy. */
    @ParameterizedTest
    @CsvSource({"data, 1, tensor, 1", "tensor, 2, pipeline, 2"})
    void soundStrategiesPassEveryCheck(String axis, int size, String otherAxis, int otherSize) {
        int gates = Integer.getInteger("hirundo.gates", 10);
        var run = prepared().with("mesh", Map.of(axis, size, otherAxis, otherSize));
        run.document.put(
                "training", Map.of("steps", gates + 2, "sequenceTokens", 16, "globalBatch", 4, "microBatch", 2));
        run.document.put("swap", Map.of("watchSteps", 0));
        var decisions = new ArrayList<CompletableFuture<Decision>>();
        var fp8 = "precision={name: fp8-blockwise, options: {blocks: shard-local, head: true}}";
        var precisions =
                List.of("precision=bf16", fp8, "precision=fp8-delayed", "precision=fp8-current", "precision=fp32");
        for (int gate = 0; gate < gates; gate++) {
            decisions.add(run.change(gate + 1, precisions.get(gate % precisions.size())));
        }
        try (var _ = new ProjectionShares()) {
            run.run();
        }
        decisions.forEach(decision ->
                assertTrue(decision.join().granted(), decision.join().message()));
        run.events(TrainingEvent.StrategiesChanged.class)
                .forEach(change -> assertFalse(change.parity().isEmpty(), change.toString()));
        // Clients see how long each phase took.
        for (Phase phase : Phase.values()) {
            assertTrue(run.steering.changeClock().previous(phase).isPresent(), phase::name);
        }
    }

    @Test
    void changesThePipelineSchedule() {
        var run = prepared().with("mesh", PIPELINE);
        var toGPipe = run.change(2, "mesh.schedule=gpipe");
        var toZeroBubble = run.change(5, "mesh.schedule=zb-h1");
        run.run();
        assertTrue(toGPipe.join().granted(), toGPipe.join().message());
        assertTrue(toZeroBubble.join().granted(), toZeroBubble.join().message());
        List<Double> expected = unchanged(PIPELINE);
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(expected.get(step), run.losses.get(step), 1e-6);
        }
    }

    /** From each mode to each other. Masters and moments move; a wrong or lost moment would show in the next losses. */
    @ParameterizedTest
    @CsvSource({"fp32, pipeline, 1e-6", "bf16, pipeline, 1e-4", "fp32, tensor, 1e-6"})
    void movesParametersBetweenShardings(String precision, String otherAxis, double tolerance) {
        Map<String, Object> mesh = Map.of(otherAxis, 2, "data", 2);
        var run = prepared().with("mesh", mesh).with("precision", Map.of("name", precision));
        var decisions = List.of(
                run.change(1, "mesh.dataParallel=fsdp"),
                run.change(2, "mesh.dataParallel=zero2"),
                run.change(3, "mesh.dataParallel={name: zero1, options: {bucketElements: 1000}}"),
                run.change(4, "mesh.dataParallel.options.bucketElements=0"),
                run.change(5, "mesh.dataParallel=zero2"),
                run.change(6, "mesh.dataParallel=fsdp"),
                run.change(7, "mesh.dataParallel=zero1"));
        run.run();
        decisions.forEach(decision ->
                assertTrue(decision.join().granted(), decision.join().message()));
        List<Double> expected = unchanged(mesh, precision);
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(expected.get(step), run.losses.get(step), tolerance, "step " + (step + 1));
        }
    }

    /** From one group of shards to replicas, to smaller groups, and back. */
    @Test
    void movesParametersBetweenShardSizes() {
        Map<String, Object> mesh = Map.of("data", 4, "dataParallel", "fsdp");
        var run = prepared().with("mesh", mesh);
        var decisions = List.of(
                run.change(1, "mesh.dataParallel.options.shardSize=2"),
                run.change(2, "mesh.dataParallel={name: zero2, options: {shardSize: 2}}"),
                run.change(3, "mesh.dataParallel.options.shardSize=1"),
                run.change(4, "mesh.dataParallel=zero1"));
        var rejected = run.change(5, "mesh.dataParallel={name: fsdp, options: {shardSize: 3}}");
        run.run();
        decisions.forEach(decision ->
                assertTrue(decision.join().granted(), decision.join().message()));
        assertFalse(rejected.join().granted());
        assertTrue(
                rejected.join().message().contains("shardSize: 3 is wrong with 4 ranks"),
                rejected.join().message());
        List<Double> expected = unchanged(mesh);
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(expected.get(step), run.losses.get(step), 1e-6, "step " + (step + 1));
        }
    }

    @Test
    void rejectsAnotherShardingTogetherWithOtherChanges() {
        var run = prepared().with("mesh", PIPELINE);
        var decision = run.change(2, "mesh.dataParallel=fsdp", "mesh.schedule=gpipe");
        run.run();
        assertFalse(decision.join().granted());
        assertTrue(
                decision.join().message().contains("must be a change of its own"),
                decision.join().message());
    }

    @ParameterizedTest
    @CsvSource({
        "mesh.schedule=interleaved, would hold other weights",
        "precision=fp64, its parameters are FP64",
        "device.options.workers=2, device: cannot change during a run",
        "precision=fp3, did you mean",
        "mesh.data=4, mesh.data: cannot change during a run",
        "data.source=stubborn, cannot continue from another source",
        "data.source.options.vocabulary=200, the data was made for a vocabulary of 200 tokens",
        "learningRate=endless, learningRate: Infinity at step 4",
    })
    void rejectsSwapsThatCannotKeepTheState(String assignment, String reason) {
        var run = prepared().with("mesh", PIPELINE);
        var decision = run.change(2, assignment);
        run.run();
        assertFalse(decision.join().granted());
        assertTrue(decision.join().message().contains(reason), decision.join().message());
        assertEquals(SteeredRun.STEPS, run.losses.size());
    }

    @ParameterizedTest
    @CsvSource({
        "zero1, mesh.dataParallel.options.overlapGradients=false, mesh.dataParallel.options.overlapParameters=false",
        "zero2, mesh.dataParallel.options.overlap=false, mesh.dataParallel.options.gatherCodes=false",
        "fsdp, mesh.dataParallel.options.overlap=false, mesh.tensorParallel.options.overlap=false",
    })
    void switchesOverlapWithoutChangingABit(String dataParallel, String one, String other) {
        Map<String, Object> mesh = Map.of("tensor", 2, "data", 2, "dataParallel", dataParallel);
        var run = prepared().with("mesh", mesh);
        var off = run.change(2, one, other);
        var on = run.change(6, one.replace("false", "true"), other.replace("false", "true"));
        run.run();
        assertTrue(off.join().granted(), off.join().message());
        assertTrue(on.join().granted(), on.join().message());
        assertEquals(unchanged(mesh), run.losses);
    }

    /** Each rank then has complete gradients next to its half of their sum. Microbatches are added up in another order. */
    @Test
    void changesWhenGradientsAreReduced() {
        Map<String, Object> mesh = Map.of("data", 2, "dataParallel", "zero2");
        var backend = new TightBackend();
        var run = prepared().with("mesh", mesh).with("device", Map.of("name", "tight"));
        run.catalog.add("device", "tight", new Fixed<>(ComputeBackend.class, backend));
        var once = run.change(2, "mesh.dataParallel.options.reduceEvery=step");
        var each = run.change(6, "mesh.dataParallel.options.reduceEvery=microbatch");
        var peaks = new HashMap<Long, Long>();
        // The checks of the changes after steps 3 and 7 count for steps 4 and 8.
        LongStream.of(3, 4, 5, 8, 9)
                .forEach(step -> run.after(step, () -> peaks.put(step, backend.takePeak(MemoryCategory.GRADIENTS))));
        run.run();
        assertTrue(once.join().granted(), once.join().message());
        assertTrue(each.join().granted(), each.join().message());
        assertEquals(3 * peaks.get(3L), peaks.get(5L));
        assertEquals(peaks.get(3L), peaks.get(9L));
        List<Double> expected = unchanged(mesh);
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(expected.get(step), run.losses.get(step), 1e-6, "step " + (step + 1));
        }
    }

    @Test
    void transfersOptimizerState() {
        var run = prepared().with("mesh", Map.of("data", 2));
        run.catalog.add("optimizer", "other", new AdamWFactory());
        var decision = run.change(4, "optimizer=other");
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        assertEquals(unchanged(Map.of("data", 2)), run.losses);
    }

    @Test
    void continuesDataFromTheSameSample() {
        var run = prepared();
        var decision = run.change(4, "data.source.options.seed=99");
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        List<Double> expected = unchanged();
        assertEquals(expected.subList(0, 5), run.losses.subList(0, 5));
        assertNotEquals(expected.get(5), run.losses.get(5));
    }

    @Test
    void changesLearningRateAndRecomputation() throws Exception {
        var run = prepared();
        var decision = run.change(4, "learningRate.options.peak=0.002", "training.recompute=full");
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        var rates = run.events(TrainingEvent.StepCompleted.class).stream()
                .map(step -> step.metrics().learningRate())
                .toList();
        assertEquals(1e-3, rates.get(4));
        assertEquals(2e-3, rates.get(5));
        String written = Files.readString(folder.resolve("run-0/steered/config.json"));
        assertTrue(written.contains("0.002"), "--resume continues with the last choice: " + written);
    }

    @Test
    void undoesAChangeAfterALossJump() {
        var run = prepared();
        run.change(6, "learningRate.options.peak=3");
        run.run();
        var changes = run.events(TrainingEvent.StrategiesChanged.class);
        assertEquals(2, changes.size(), changes.toString());
        assertTrue(
                changes.get(1).reason().startsWith("the loss rose to"),
                changes.get(1).reason());
        var last = run.events(TrainingEvent.StepCompleted.class).getLast();
        assertEquals(1e-3, last.metrics().learningRate());
    }
}
