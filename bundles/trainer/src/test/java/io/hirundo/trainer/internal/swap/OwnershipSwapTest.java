package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.optimizermuon.internal.MuonFactory;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.WholeMatrices;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of a run in which optimizers need more than any run of elements. */
class OwnershipSwapTest {
    @TempDir
    private Path folder;

    private SteeredRun run(String name, String mode) {
        var run = new SteeredRun(folder.resolve(name)).with("mesh", Map.of("data", 2, "dataParallel", mode));
        run.catalog.add(
                "optimizer",
                "whole",
                new Fixed<>(Optimizer.class, new WholeMatrices(new AdamWFactory().create(new AdamWOptions()))));
        run.catalog.add("optimizer", "muon", new MuonFactory());
        return run;
    }

    /** Masters and state of whole matrices move, and only sums of squares are rounded elsewhere. Muon keeps other state for vectors. */
    @ParameterizedTest
    @CsvSource({"whole, zero1, fsdp", "whole, fsdp, zero2", "muon, zero1, fsdp", "muon, fsdp, zero2"})
    void ownersOfWholeMatricesChangeTheirMode(String optimizer, String from, String to) {
        var unchanged = run("unchanged", from)
                .with("optimizer", Map.of("name", optimizer))
                .run();
        var run = run("changed", from).with("optimizer", Map.of("name", optimizer));
        var decision = run.change(3, "mesh.dataParallel=" + to);
        run.run();
        assertTrue(decision.join().granted(), decision.join().message());
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(1, run.losses.get(step) / unchanged.losses.get(step), 1e-6, "step " + (step + 1));
        }
    }

    /** With rows of 128 elements, so that moments can be in 8 bits. */
    private SteeredRun wide(String name) {
        var sizes = Map.of(
                "vocabSize",
                96,
                "hiddenSize",
                128,
                "intermediateSize",
                128,
                "numHiddenLayers",
                1,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                4,
                "maxPositionEmbeddings",
                16);
        return run(name, "zero1")
                .with("model", Map.of("architecture", Map.of("name", "llama", "options", sizes), "export", false));
    }

    @Test
    void rejectsAnOptimizerOfWholeMatricesWhereRanksHaveSlices() {
        var run = run("slices", "zero1");
        var decision = run.change(3, "optimizer=muon");
        run.run();
        assertFalse(decision.join().granted());
        String message = decision.join().message();
        assertTrue(message.contains("optimizer: it needs all of model.layers.0"), message);
        String settings = "--resume --set 'checkpoint.allowMissing=[\"optimizer/momentum_buffer/*\"]'"
                + " --set 'checkpoint.allowUnexpected=[\"optimizer/exp_avg/*\", \"optimizer/exp_avg_sq/*\"]'";
        assertTrue(message.endsWith(settings), message);
        assertEquals(run("unchanged", "zero1").run().losses, run.losses);
    }

    /** What ranks own changes with the data-parallel strategy, not with the optimizer alone. */
    @Test
    void rejectsAnOptimizerOfWholeMatricesAfterWeightsMovedToOwnersOfSlices() {
        var run = run("moved", "zero1").with("optimizer", Map.of("name", "muon"));
        var sliceable = run.change(2, "optimizer=adamw");
        var moved = run.change(4, "mesh.dataParallel=fsdp");
        var back = run.change(6, "optimizer=muon");
        run.run();
        assertTrue(
                sliceable.join().granted() && moved.join().granted(),
                moved.join().message());
        assertFalse(back.join().granted());
        String message = back.join().message();
        assertTrue(message.startsWith("optimizer: it needs all of model.layers.0"), message);
    }

    @Test
    void rejectsMomentsIn8BitsWhereRanksHaveSlices() {
        var run = wide("elements");
        var decision = run.change(3, "optimizer.options.eightBitState=true");
        run.run();
        assertFalse(decision.join().granted());
        String message = decision.join().message();
        assertTrue(
                message.startsWith("optimizer: it needs blocks of 256 elements of ") && message.endsWith("--resume"),
                message);
    }

    /** Quantized values and scales move as they are: no bit is lost, and sums of squares alone are rounded elsewhere. */
    @ParameterizedTest
    @ValueSource(strings = {"fsdp", "{name: zero2, options: {shardSize: 1}}"})
    void movesMomentsIn8Bits(String to) {
        var adamW = Map.of("name", "adamw", "options", Map.of("eightBitState", true));
        var run = wide("bytes").with("optimizer", adamW);
        var there = run.change(3, "mesh.dataParallel=" + to);
        var back = run.change(5, "mesh.dataParallel=zero1");
        run.run();
        assertTrue(there.join().granted(), there.join().message());
        assertTrue(back.join().granted(), back.join().message());
        List<Double> unchanged = wide("unchanged").with("optimizer", adamW).run().losses;
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            assertEquals(1, run.losses.get(step) / unchanged.get(step), 1e-6, "step " + (step + 1));
        }
    }

    /** A swap computes what a restart with the same checkpoint would, bitwise. */
    @Test
    void convertsMomentsBetweenFp32And8BitsAsAResumeDoes() {
        var run = alone("swapped", 10, false);
        var there = run.change(3, "optimizer.options.eightBitState=true");
        var back = run.change(6, "optimizer.options.eightBitState=false");
        run.run();
        assertTrue(
                there.join()
                        .message()
                        .contains(
                                "optimizer state: exp_avg, exp_avg_sq kept; exp_avg_quantized, exp_avg_scales_128 from exp_avg; exp_avg_sq_quantized, exp_avg_sq_scales_128 from"
                                        + " exp_avg_sq"),
                there.join().message());
        assertTrue(
                back.join()
                        .message()
                        .contains(
                                "optimizer state: exp_avg, exp_avg_sq kept; exp_avg from exp_avg_quantized, exp_avg_scales_128; exp_avg_sq from exp_avg_sq_quantized,"
                                        + " exp_avg_sq_scales_128"),
                back.join().message());
        // Changes are made after the step in which they are requested.
        List<Double> resumed = alone("resumed", 4, false).run().losses;
        resumed.addAll(alone("resumed", 7, true).resume().losses);
        resumed.addAll(alone("resumed", 10, false).resume().losses);
        assertEquals(resumed, run.losses);
        assertFalse(alone("unchanged", 10, false).run().losses.equals(run.losses), "nothing was quantized");
    }

    /** One rank owns all elements, so the optimizer may ask for blocks. */
    private SteeredRun alone(String name, long steps, boolean eightBits) {
        return saving(name, steps, eightBits).with("mesh", Map.of("data", 1));
    }

    private SteeredRun saving(String name, long steps, boolean eightBits) {
        var run = wide(name);
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run.with("checkpoint", Map.of("strategy", "sync"))
                .with("optimizer", Map.of("name", "adamw", "options", Map.of("eightBitState", eightBits)))
                .with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4));
    }

    /** The resumed run divides parameters elsewhere, so sums of squares are rounded elsewhere. */
    @Test
    void convertsMomentsIn8BitsOfSeveralRanksAsAResumeDoes() {
        var run = saving("several", 8, true);
        var decision = run.change(3, "optimizer.options.eightBitState=false");
        run.run();
        assertTrue(
                decision.join().message().contains("exp_avg from exp_avg_quantized, exp_avg_scales_128"),
                decision.join().message());
        List<Double> resumed = saving("resumed", 4, true).run().losses;
        resumed.addAll(saving("resumed", 8, false).resume().losses);
        assertEquals(8, resumed.size());
        for (int step = 0; step < 8; step++) {
            assertEquals(1, run.losses.get(step) / resumed.get(step), 1e-6, "step " + (step + 1));
        }
    }
}
