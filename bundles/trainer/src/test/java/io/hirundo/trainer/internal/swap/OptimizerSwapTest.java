package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizerlion.internal.LionFactory;
import io.hirundo.optimizerlion.internal.LionOptions;
import io.hirundo.optimizermuon.internal.MuonFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.ProbedOptimizer;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of optimizer state when another optimizer takes over. */
class OptimizerSwapTest {
    @TempDir
    private Path folder;

    private final ProbedOptimizer<?> lion = new ProbedOptimizer<>(new LionFactory());
    private final ProbedOptimizer<?> adamW = new ProbedOptimizer<>(new AdamWFactory());

    private SteeredRun prepared(String name, long steps, Map<String, Object> mesh) {
        var run = new SteeredRun(folder.resolve(name)).with("mesh", mesh);
        run.catalog.add("optimizer", "lion", lion);
        run.catalog.add("optimizer", "probed-adamw", adamW);
        run.catalog.add("optimizer", "muon", new MuonFactory());
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run.with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4));
    }

    /** Ranks own runs of elements, and with pipeline stages different parameters. */
    @ParameterizedTest
    @CsvSource({"zero1, 1", "fsdp, 2"})
    void takesOverWhatBothHaveAndReportsTheRest(String dataParallel, int stages) {
        Map<String, Object> mesh = Map.of("data", 2, "pipeline", stages, "dataParallel", dataParallel);
        var run = prepared("run", SteeredRun.STEPS, mesh);
        var there = run.change(3, "optimizer=lion");
        var back = run.change(7, "optimizer=probed-adamw");
        run.run();
        assertTrue(there.join().granted(), there.join().message());
        assertTrue(
                there.join().message().contains("optimizer state: exp_avg kept; exp_avg_sq dropped"),
                there.join().message());
        assertEquals(5, lion.firstStep(), "no state of lion counts steps");
        assertTrue(lion.largestAtFirstStep() > 0, "exp_avg was not taken over");
        assertTrue(back.join().granted(), back.join().message());
        assertTrue(
                back.join()
                        .message()
                        .contains(
                                "optimizer state: all from zero, with steps counted from 1, because the run has no exp_avg_sq"),
                back.join().message());
        assertEquals(1, adamW.firstStep());
        assertEquals(0, adamW.largestAtFirstStep(), "moments of a new bias correction must begin at zero");
        var reported =
                run.events(TrainingEvent.StrategiesChanged.class).getFirst().changes();
        assertTrue(reported.contains("optimizer state: exp_avg kept; exp_avg_sq dropped"), reported.toString());
        assertTrue(run.losses.getLast() < run.losses.getFirst(), run.losses.toString());
    }

    @Test
    void resumesBitwiseAfterAnOptimizerBeganInTheMiddleOfTheRun() {
        List<Double> expected = changed("once", 12, false);
        List<Double> losses = changed("twice", 8, false);
        losses.addAll(changed("twice", 12, true));
        assertEquals(expected, losses);
    }

    /** As after a swap: next to a first moment of many steps, a second moment of none would scale updates wrongly. */
    @Test
    void startsAllStateFromZeroWhereACheckpointLacksAMomentWithBiasCorrection() {
        var mesh = Map.<String, Object>of("data", 2);
        prepared("resumed", 4, mesh)
                .with("optimizer", Map.of("name", "lion"))
                .with("checkpoint", Map.of("strategy", "sync"))
                .run();
        var resumed = prepared("resumed", 8, mesh)
                .with("optimizer", Map.of("name", "probed-adamw"))
                .with("checkpoint", Map.of("strategy", "sync", "allowMissing", List.of("optimizer/exp_avg_sq/*")))
                .resume();
        assertEquals(1, adamW.firstStep());
        assertEquals(0, adamW.largestAtFirstStep(), "exp_avg was loaded");
        List<String> reported = resumed.events(TrainingEvent.ProductsListed.class).stream()
                .flatMap(event -> event.lines().stream())
                .toList();
        assertTrue(
                reported.stream()
                        .anyMatch(line -> line.contains("all from zero") && line.contains("has no exp_avg_sq")),
                reported.toString());
    }

    /** With the settings that a rejected swap names. */
    @Test
    void resumesWithMuonWhereAdamWOwnedSlices() {
        var mesh = Map.<String, Object>of("data", 2);
        prepared("slices", 4, mesh)
                .with("checkpoint", Map.of("strategy", "sync"))
                .run();
        var exceptions = Map.of(
                "strategy", "sync",
                "allowMissing", List.of("optimizer/momentum_buffer/*"),
                "allowUnexpected", List.of("optimizer/exp_avg/*", "optimizer/exp_avg_sq/*"));
        var resumed = prepared("slices", 8, mesh)
                .with("optimizer", Map.of("name", "muon"))
                .with("checkpoint", exceptions)
                .resume();
        assertEquals(4, resumed.losses.size());
        assertTrue(resumed.losses.getLast() < resumed.losses.getFirst(), resumed.losses.toString());
    }

    private List<Double> changed(String name, long steps, boolean resume) {
        var run = prepared(name, steps, Map.of()).with("checkpoint", Map.of("strategy", "sync"));
        if (resume) {
            return run.resume().losses;
        }
        run.change(2, "optimizer=lion");
        run.change(5, "optimizer=adamw");
        run.run();
        assertEquals(2, run.events(TrainingEvent.StrategiesChanged.class).size());
        return run.losses;
    }

    @Test
    void lionLearns() {
        var run = prepared("lion", 20, Map.of("data", 2)).with("optimizer", Map.of("name", "lion"));
        run.run();
        assertTrue(run.losses.getLast() < run.losses.getFirst() - 0.02, run.losses.toString());
    }

    /** Ranks own complete matrices, Q, K and V of a fused weight among them. */
    @Test
    void muonTrainsTheSameOnAnyRankThatOwnsAMatrix() {
        List<Double> expected = muon("alone", Map.of());
        assertTrue(expected.getLast() < expected.getFirst() - 0.02, expected.toString());
        for (String dataParallel : List.of("zero1", "zero2", "fsdp")) {
            List<Double> losses = muon(dataParallel, Map.of("data", 2, "pipeline", 2, "dataParallel", dataParallel));
            for (int step = 0; step < losses.size(); step++) {
                assertEquals(
                        expected.get(step),
                        losses.get(step),
                        1e-5 * expected.get(step),
                        dataParallel + ", step " + (step + 1));
            }
        }
    }

    private List<Double> muon(String name, Map<String, Object> mesh) {
        return prepared(name, 20, mesh)
                .with("optimizer", Map.of("name", "muon"))
                .run()
                .losses;
    }

    @Test
    void muonRejectsMatricesThatTensorParallelismSplits() {
        var run = prepared("run", 4, Map.of("tensor", 2));
        var shards = Map.of("name", "muon", "options", Map.of("orthogonalizeShards", true));
        var accepted = prepared("shards", 4, Map.of("tensor", 2)).with("optimizer", shards);
        String message = assertThrows(
                        ConfigurationException.class,
                        () -> run.with("optimizer", Map.of("name", "muon")).run())
                .getMessage();
        assertTrue(
                message.contains(
                        "optimizer.options.orthogonalizeShards: false is wrong where mesh.tensor splits model.layers."),
                message);
        assertEquals(4, accepted.run().losses.size());
    }

    @Test
    void muonTakesOverTheMomentsOfVectors() {
        var run = prepared("run", 8, Map.of());
        var there = run.change(2, "optimizer=muon");
        var back = run.change(5, "optimizer=adamw");
        run.run();
        assertTrue(
                there.join()
                        .message()
                        .contains(
                                "optimizer state: exp_avg, exp_avg_sq kept; momentum_buffer from zero; exp_avg, exp_avg_sq of other"
                                        + " parameters dropped"),
                there.join().message());
        assertTrue(
                back.join()
                        .message()
                        .contains(
                                "optimizer state: all from zero, with steps counted from 1, because the run has no exp_avg, exp_avg_sq"),
                back.join().message());
    }

    /** Muon has a moment of vectors that Lion keeps for matrices too. */
    @Test
    void saysWhichStateBeginsAtZeroForSomeParametersAlone() {
        var run = prepared("run", 6, Map.of()).with("optimizer", Map.of("name", "muon"));
        var there = run.change(3, "optimizer=lion");
        run.run();
        assertTrue(
                there.join()
                        .message()
                        .contains(
                                "optimizer state: exp_avg kept; exp_avg of other parameters from zero; exp_avg_sq, momentum_buffer dropped"),
                there.join().message());
    }

    @Test
    void rejectsStateOfAnotherType() {
        lion.stateType = DType.FP64;
        var run = prepared("run", 6, Map.of());
        var decision = run.change(2, "optimizer=lion");
        run.run();
        assertFalse(decision.join().granted());
        String message = decision.join().message();
        assertTrue(message.startsWith("optimizer: it keeps exp_avg of "), message);
        assertTrue(
                message.contains(" FP64, and the run has ") && message.contains("its state cannot carry over"),
                message);
        assertEquals(6, run.losses.size());
    }

    @Test
    void rejectsNamesOfUndeclaredStateThatCheckpointsDoNotAllow() {
        Optimizer optimizer = (device, parameters) -> {
            OptimizerRun run = new LionFactory().create(new LionOptions()).bind(device, parameters);
            return new OptimizerRun() {
                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    run.step(queue, step, learningRate, gradientCoefficient1);
                }

                @Override
                public List<State> state() {
                    return run.state().stream()
                            .map(state -> new State(state.parameter(), "exp avg", state.tensor()))
                            .toList();
                }

                @Override
                public void close() {
                    run.close();
                }
            };
        };
        var run = prepared("run", 6, Map.of()).with("optimizer", Map.of("name", "spaced"));
        run.catalog.add("optimizer", "spaced", new Fixed<>(Optimizer.class, optimizer));
        String message = assertThrows(ConfigurationException.class, run::run).getMessage();
        assertTrue(message.startsWith("optimizer: the optimizer state \"exp avg\" is not a name"), message);
    }

    @Test
    void rejectsAnOptimizerThatDeclaresOtherStateThanItKeeps() {
        var liar = new ProbedOptimizer<>(new LionFactory()) {
            @Override
            protected Optional<List<StateSpec>> declared(ParameterSpec parameter, DType dtype) {
                return Optional.of(List.of());
            }
        };
        var run = prepared("run", 6, Map.of()).with("optimizer", Map.of("name", "liar"));
        run.catalog.add("optimizer", "liar", liar);
        String message = assertThrows(ConfigurationException.class, run::run).getMessage();
        assertTrue(message.startsWith("optimizer: it declares nothing else and keeps exp_avg of "), message);
    }
}
