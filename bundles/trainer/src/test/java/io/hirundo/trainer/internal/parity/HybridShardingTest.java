package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.fixture.GlobalState;
import io.hirundo.trainer.internal.fixture.WholeMatrices;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Hybrid sharding: weights, gradients and moments are sharded over some of the data and context ranks, and the others hold replicas. */
class HybridShardingTest {
    private static void check(Layout layout, int steps) {
        Trace with = Layouts.run(layout, steps);
        LayoutParityTest.PARITY.check(Layouts.alone(layout, Layouts.FP32, steps), with);
        Trace without = Layouts.run(layout.withoutOverlap(), steps);
        assertEquals(without.losses(), with.losses());
        assertEquals(without.norms(), with.norms());
        without.weights()
                .forEach((path, values) ->
                        assertArrayEquals(values, with.weights().get(path), path));
    }

    @ParameterizedTest
    @MethodSource("io.hirundo.trainer.internal.parity.LayoutMatrix#hybrid")
    void trainsAsASingleRankDoesAndOverlapChangesNoBit(Layout layout) {
        check(layout, Layouts.MATRIX_STEPS);
    }

    @Tag("matrix")
    @ParameterizedTest
    @MethodSource("io.hirundo.trainer.internal.parity.LayoutMatrix#hybrid")
    void trainsLongAsASingleRankDoes(Layout layout) {
        check(layout, Layouts.STEPS);
    }

    @Tag("matrix")
    @ParameterizedTest
    @MethodSource("io.hirundo.trainer.internal.parity.LayoutMatrix#moreHybrid")
    void trainsAsASingleRankDoesInMoreLayouts(Layout layout) {
        check(layout, Layouts.MATRIX_STEPS);
    }

    @ParameterizedTest
    @MethodSource("io.hirundo.trainer.internal.parity.LayoutMatrix#hybrid")
    void takesThePlannedBytes(Layout layout) {
        PlanParityTest.assertPlanned(
                Layouts.configuration(layout),
                backend -> Layouts.strategies(layout, PlanParityTest.BF16, backend, request -> new StructuredTokens()),
                Set.of());
    }

    @Tag("matrix")
    @ParameterizedTest
    @MethodSource("io.hirundo.trainer.internal.parity.LayoutMatrix#moreHybrid")
    void takesThePlannedBytesInMoreLayouts(Layout layout) {
        takesThePlannedBytes(layout);
    }

    /** Replicas save once, and each takes the state of every other sharding. */
    @ParameterizedTest
    @CsvSource({
        "zero1, fsdp in shards of 2",
        "fsdp in shards of 2, fsdp in shards of 4",
        "fsdp late in shards of 1, zero2 in shards of 2"
    })
    void takesTheStateOfAnotherShardSize(String from, String to) {
        Map<String, double[]> saved;
        double next;
        try (LocalRun run = open(from)) {
            run.step();
            run.step();
            saved = GlobalState.of(run);
            next = run.evaluate();
        }
        try (LocalRun run = open(to)) {
            GlobalState.load(run, saved);
            Map<String, double[]> loaded = GlobalState.of(run);
            assertEquals(saved.keySet(), loaded.keySet());
            saved.forEach((key, values) -> assertArrayEquals(values, loaded.get(key), key));
            assertEquals(next, run.evaluate(), 1e-5);
        }
    }

    private static LocalRun open(String mode) {
        Layout layout = LayoutMatrix.hybrid(1, 1, 1, 4, mode, Recompute.NONE, true);
        return LocalRun.open(
                Layouts.configuration(layout),
                Layouts.strategies(layout, Layouts.cpu(), request -> new StructuredTokens()));
    }

    @Test
    void ownersOfWholeMatricesHaveReplicas() {
        Layout layout = LayoutMatrix.hybrid(1, 1, 1, 4, "fsdp in shards of 2", Recompute.NONE, true);
        var strategies = WholeMatrices.in(Layouts.strategies(layout, Layouts.cpu(), request -> new StructuredTokens()));
        Trace found = Layouts.run(Layouts.configuration(layout), Layouts.MATRIX_STEPS, strategies);
        LayoutParityTest.PARITY.check(Layouts.alone(layout, Layouts.FP32, Layouts.MATRIX_STEPS), found);
    }

    /** Replicas start alike, and see the same gradients. */
    @Test
    void replicasStayBitwiseEqual() {
        try (LocalRun run = open("fsdp in shards of 2")) {
            for (int step = 0; step < 3; step++) {
                run.step();
            }
            List<List<StateShard>> owned = run.onEachRank(part -> part.state().shards());
            for (int rank = 0; rank < 2; rank++) {
                List<StateShard> first = owned.get(rank);
                List<StateShard> second = owned.get(rank + 2);
                assertEquals(first.size(), second.size());
                for (int shard = 0; shard < first.size(); shard++) {
                    assertEquals(first.get(shard).key(), second.get(shard).key());
                    assertTrue(
                            first.get(shard).replica() == 0 && second.get(shard).replica() == 1);
                    assertArrayEquals(
                            values(first.get(shard)),
                            values(second.get(shard)),
                            first.get(shard).key());
                }
            }
        }
    }

    private static double[] values(StateShard shard) {
        CpuTensor tensor = (CpuTensor) shard.local();
        return LongStream.range(0, tensor.elements())
                .mapToDouble(tensor::getDouble)
                .toArray();
    }

    @Test
    void rejectsAShardSizeThatDoesNotDivideTheRanks() {
        Layout layout = LayoutMatrix.hybrid(1, 1, 1, 2, "fsdp in shards of 4", Recompute.NONE, true);
        var rejection = assertThrows(
                ConfigurationException.class,
                () -> LocalRun.open(
                        Layouts.configuration(layout),
                        Layouts.strategies(layout, Layouts.cpu(), request -> new StructuredTokens())));
        assertEquals(
                "mesh.dataParallel.options.shardSize: 4 is wrong with 2 ranks along mesh.data and mesh.context (allowed: 1, 2);"
                        + " set it to one of these, or to 0 for all ranks",
                rejection.getMessage());
    }
}
