package io.hirundo.paralleldp.internal.fsdp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.model.parameter.Replicas;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks.Rank;
import io.hirundo.paralleldp.internal.fixture.Wire;
import io.hirundo.paralleldp.internal.gradients.GradientType;
import io.hirundo.paralleldp.internal.gradients.ReduceEvery;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FsdpTest {
    private static final int MICROBATCHES = 2;

    /** Until then, a resume that converts state may have their memory. */
    @Test
    void releasedGradientsReturnWhenAStepBegins() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            try (ShardedParameters parameters = bind(rank, true)) {
                parameters.allocateGradients();
                parameters.releaseGradients();
                assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
                step(parameters, rank, 0);
                parameters.zeroGradients(rank.queue());
                assertEquals(
                        rank.books().peak(MemoryCategory.GRADIENTS),
                        rank.books().live(MemoryCategory.GRADIENTS));
                assertTrue(Model.ownedGradients(parameters).stream().allMatch(value -> value == 0));
            }
            return null;
        });
    }

    @Test
    void prefetchesTheNextBlock() throws Exception {
        var wire = new Wire(2);
        ThreadRanks.run(2, wire, rank -> {
            try (ShardedParameters parameters = bind(rank, true)) {
                parameters.allocateGradients();
                Model.setOwned(parameters, 0);
                parameters.weightsChanged(rank.queue());
                parameters.zeroGradients(rank.queue());
                Model.train(parameters, rank.queue(), rank.group().rank(), 0);
                parameters.finishGradients(rank.queue());
                return null;
            }
        });
        // Units: the shared embedding (444, padded 512), two blocks (756, padded 768), the last norm (12, padded 128).
        assertEquals(
                List.of(
                        "all-gather 512",
                        "all-gather 768",
                        "all-gather 768",
                        "all-gather 128",
                        "all-gather 512",
                        // The last block is still there when its backward begins.
                        "all-gather 768",
                        "reduce-scatter 128",
                        "reduce-scatter 512",
                        "all-gather 768",
                        "reduce-scatter 768",
                        "all-gather 512",
                        "reduce-scatter 768",
                        "reduce-scatter 512"),
                wire.log());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void persistentMemoryFallsWithTheRanksAndGathersHoldFewBlocks(int ranks) throws Exception {
        long unitBytes = 768 * 8L;
        long allBytes = 2 * unitBytes + (512 + 128) * 8L;
        for (boolean overlap : new boolean[] {false, true}) {
            ThreadRanks.run(ranks, new Wire(ranks), rank -> {
                try (ShardedParameters parameters = bind(rank, overlap)) {
                    parameters.allocateGradients();
                    step(parameters, rank, 0);
                    long slice = allBytes / ranks;
                    assertEquals(slice, rank.books().peak(MemoryCategory.WEIGHTS));
                    assertEquals(slice, rank.books().peak(MemoryCategory.GRADIENTS));
                    // A block's weights and gradients; with overlap the weights of the block before (or the embedding)
                    // and
                    // the gradients of the block behind (or the embedding).
                    long moving = ranks == 1 ? 0 : overlap ? 3 * unitBytes + 512 * 8L : 2 * unitBytes;
                    assertEquals(moving, rank.books().peak(MemoryCategory.COMMUNICATION));
                }
                for (MemoryCategory category :
                        List.of(MemoryCategory.WEIGHTS, MemoryCategory.GRADIENTS, MemoryCategory.COMMUNICATION)) {
                    assertEquals(0, rank.books().live(category), category.name());
                }
                return null;
            });
        }
    }

    @Test
    void holdsGatheredWeightsOnlyWhileTheirBlockRuns() throws Exception {
        ThreadRanks.run(2, new Wire(2), rank -> {
            try (ShardedParameters parameters = bind(rank, true)) {
                Model.setOwned(parameters, 0);
                parameters.weightsChanged(rank.queue());
                Parameter norm = Model.ofBlock(parameters, 1).getFirst();
                assertTrue(assertThrows(IllegalStateException.class, norm::value)
                        .getMessage()
                        .contains("norm.0"));
                assertTrue(parameters.before(rank.queue(), 1, Kind.FORWARD));
                assertEquals(12, norm.value().elements());
                parameters.after(rank.queue(), 1, Kind.FORWARD);
                assertThrows(IllegalStateException.class, norm::value);
                assertFalse(parameters.before(rank.queue(), 1, Kind.FORWARD), "still the same memory");
                assertThrows(IllegalStateException.class, () -> parameters.weightsChanged(rank.queue()));
                parameters.after(rank.queue(), 1, Kind.FORWARD);
                parameters.before(rank.queue(), 3, Kind.FORWARD);
                parameters.after(rank.queue(), 3, Kind.FORWARD);
                assertTrue(parameters.before(rank.queue(), 1, Kind.FORWARD), "has moved");
                Model.requireWeights(parameters, 1, 0);
                assertThrows(IllegalStateException.class, norm::gradient);
                return null;
            }
        });
    }

    @Test
    void transfersGradientsThatOtherStagesAddToLaterSeparately() throws Exception {
        var late = new Replicas(List.of(0, 3), 0, true);
        var shared = new ParameterSpec(
                "shared", List.of(ParameterPart.whole("shared", Shape.of(7)).with(late)), Initialization.ONES);
        var wire = new Wire(2);
        ThreadRanks.run(2, wire, rank -> {
            var blocks = List.of(List.of(Model.spec("own", 300), shared));
            try (ShardedParameters parameters =
                    new Fsdp(new FsdpOptions()).bind(rank.device(), rank.group(), blocks, DType.FP32)) {
                parameters.allocateGradients();
                parameters.zeroGradients(rank.queue());
                for (int microbatch = 0; microbatch < 2; microbatch++) {
                    parameters.before(rank.queue(), 0, Kind.BACKWARD_INPUT);
                    parameters.after(rank.queue(), 0, Kind.BACKWARD_INPUT);
                    parameters.gradientReady(
                            rank.queue(), parameters.parameters().get(0), List.of());
                }
                parameters.gradientReady(rank.queue(), parameters.parameters().get(1), List.of());
                parameters.finishGradients(rank.queue());
                return null;
            }
        });
        assertEquals(
                List.of(
                        "all-gather 384",
                        "all-gather 128",
                        "reduce-scatter 384",
                        "reduce-scatter 384",
                        "reduce-scatter 128"),
                wire.log());
    }

    @Test
    void singleRankKeepsFullGradients() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            try (ShardedParameters parameters = bind(rank, true)) {
                assertFalse(parameters.reducesEveryMicrobatch());
                parameters.allocateGradients();
                assertEquals(
                        37 * 12, parameters.parameters().getFirst().gradient().elements());
                return null;
            }
        });
    }

    /** Before that, activations of the forward may have their memory, and after the update an evaluation. */
    @Test
    void lateGradientsOfASingleRankAreAllocatedWhenAStepFirstUsesThem() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            var late = new FsdpOptions(
                    true, true, false, GradientType.FP32, FsdpOptions.ALL_RANKS, ReduceEvery.MICROBATCH, true);
            try (ShardedParameters parameters =
                    new Fsdp(late).bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP64)) {
                parameters.hold(Map.of());
                parameters.allocateGradients();
                assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
                step(parameters, rank, 0);
                parameters.weightsChanged(rank.queue());
                assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
                parameters.zeroGradients(rank.queue());
                var gradient = (CpuTensor) Model.named(parameters, "up.1").gradient();
                assertEquals(768 * 8, rank.books().live(MemoryCategory.GRADIENTS));
                for (int i = 0; i < gradient.elements(); i++) {
                    assertEquals(0, gradient.getDouble(i));
                }
            }
            return null;
        });
    }

    @Test
    void rejectsLateGradientsOfSeveralRanks() {
        var options = new FsdpOptions(true, true, false, GradientType.FP32, 2, ReduceEvery.MICROBATCH, true);
        var error = assertThrows(ConfigurationException.class, () -> new Fsdp(options).shardSize(4));
        assertEquals(
                "mesh.dataParallel.options.lateGradients: true is wrong with 2 ranks in a shard group (allowed: false); set it to false,"
                        + " or mesh.dataParallel.options.shardSize to 1",
                error.getMessage());
    }

    @Test
    void rejectsMissingGradients() throws Exception {
        ThreadRanks.run(2, new Wire(2), rank -> {
            try (ShardedParameters parameters = bind(rank, true)) {
                parameters.allocateGradients();
                parameters.zeroGradients(rank.queue());
                parameters.before(rank.queue(), 1, Kind.BACKWARD_WEIGHT);
                parameters.gradientReady(
                        rank.queue(), Model.ofBlock(parameters, 1).getFirst(), List.of());
                var error = assertThrows(IllegalStateException.class, () -> parameters.finishGradients(rank.queue()));
                assertTrue(error.getMessage().contains("[up.0, down.0]"), error.getMessage());
                return null;
            }
        });
    }

    private static ShardedParameters bind(Rank rank, boolean overlap) {
        ShardedParameters parameters = new FsdpFactory()
                .create(new FsdpOptions(overlap, true))
                .bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP64);
        parameters.hold(Map.of());
        return parameters;
    }

    private static void step(ShardedParameters parameters, Rank rank, int step) {
        Model.setOwned(parameters, step);
        parameters.weightsChanged(rank.queue());
        parameters.zeroGradients(rank.queue());
        for (int microbatch = 0; microbatch < MICROBATCHES; microbatch++) {
            Model.train(parameters, rank.queue(), rank.group().rank(), step);
        }
        parameters.finishGradients(rank.queue());
    }
}
