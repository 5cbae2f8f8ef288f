package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.session.AsyncFactory;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.session.LocalRun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A checkpoint of one layout loads bitwise in every other layout, and training continues. Of other families than Llama: in some. */
class LayoutChangeTest {
    private static final int STEPS = 2;

    private static final List<Map<String, Object>> LAYOUTS = List.of(
            Map.of(),
            Map.of("tensor", 4),
            Map.of("context", 4, "contextParallel", "all-gather"),
            Map.of("pipeline", 2, "schedule", "interleaved"),
            Map.of("data", 4, "dataParallel", "fsdp"),
            Map.of("tensor", 2, "pipeline", 2, "data", 2, "schedule", "zb-h1"),
            Map.of("context", 2, "pipeline", 2, "data", 2),
            Map.of("pipeline", 2, "data", 2, "dataParallel", "zero2"),
            Map.of("data", 4, "dataParallel", Map.of("name", "fsdp", "options", Map.of("shardSize", 2))));

    @TempDir
    private static Path folder;

    /** State and losses of each layout that has saved. */
    private static final Map<Origin, Saved> SAVED = new ConcurrentHashMap<>();

    /** Who has saved; without a family, the Llama of {@link SteeredRun}. */
    private record Origin(Optional<SmallFamily> family, int layout) {
        @Override
        public String toString() {
            return family.map(each -> each + " in ").orElse("") + LAYOUTS.get(layout);
        }
    }

    /** Losses of the steps before the checkpoint, and of as many steps after it. */
    private record Saved(Path checkpoints, Map<String, byte[]> state, List<Double> losses) {}

    /** {@code to} is an index in the list of layouts. */
    record Pair(Origin from, int to) {
        @Override
        public String toString() {
            return from + " to " + LAYOUTS.get(to);
        }
    }

    /** Each layout with itself and three others: 36 pairs. */
    static Stream<Pair> pairs() {
        return IntStream.range(0, LAYOUTS.size())
                .boxed()
                .flatMap(from -> IntStream.of(0, 1, 2, 4)
                        .mapToObj(further ->
                                new Pair(new Origin(Optional.empty(), from), (from + further) % LAYOUTS.size())));
    }

    /** Biases, head norms and the weights of four norms a block move between shards of tensor, pipeline and data ranks. */
    static Stream<Pair> pairsOfFamilies() {
        return Arrays.stream(SmallFamily.values())
                .map(Optional::of)
                .flatMap(family -> Stream.of(new Pair(new Origin(family, 5), 6), new Pair(new Origin(family, 4), 1)));
    }

    @ParameterizedTest
    @MethodSource({"pairs", "pairsOfFamilies"})
    void loadsBitwiseAndContinues(Pair pair) {
        Saved saved = SAVED.computeIfAbsent(pair.from(), LayoutChangeTest::save);
        List<Double> losses;
        try (var strategies = strategies(pair.from().family(), pair.to());
                var run = LocalRun.open(strategies.configuration(), strategies.strategies());
                var checkpoints = new RunCheckpoints(run, strategies, saved.checkpoints())) {
            checkpoints.restore(() -> false);
            Map<String, byte[]> state = state(run);
            assertEquals(saved.state().keySet(), state.keySet());
            state.forEach((key, bytes) -> assertArrayEquals(saved.state().get(key), bytes, key));
            losses = steps(run);
        }
        List<Double> unbroken = saved.losses().subList(STEPS, 2 * STEPS);
        if (pair.from().layout() == pair.to()) {
            assertEquals(unbroken, losses);
        }
        for (int step = 0; step < STEPS; step++) {
            assertEquals(1, losses.get(step) / unbroken.get(step), 1e-5, losses + " and " + unbroken);
        }
    }

    private static Saved save(Origin origin) {
        Path directory =
                folder.resolve(origin.family().map(SmallFamily::name).orElse("llama") + "-of-" + origin.layout());
        try (var strategies = strategies(origin.family(), origin.layout());
                var run = LocalRun.open(strategies.configuration(), strategies.strategies())) {
            List<Double> losses = steps(run);
            Map<String, byte[]> state = state(run);
            try (var checkpoints = new RunCheckpoints(run, strategies, directory)) {
                checkpoints.save(false);
                // Weights change while they are written.
                losses.addAll(steps(run));
            }
            return new Saved(directory, state, losses);
        }
    }

    /** Alternates the checkpoint strategy between layouts. */
    private static RunStrategies strategies(Optional<SmallFamily> family, int layout) {
        String strategy = layout % 2 == 0 ? "sync" : "dcp-async";
        var run = new SteeredRun(folder)
                .with("mesh", LAYOUTS.get(layout))
                .with("checkpoint", Map.of("strategy", strategy));
        family.ifPresent(each -> run.architecture(each.choice()));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.catalog.add("checkpoint", "dcp-async", new AsyncFactory(NamedBundle.context()));
        return new RunStrategies(run.catalog, run.configuration());
    }

    private static List<Double> steps(LocalRun run) {
        var losses = new ArrayList<Double>();
        for (int step = 0; step < STEPS; step++) {
            losses.add(run.step().loss());
        }
        return losses;
    }

    /** Full tensors, assembled from the shards of all ranks. */
    private static Map<String, byte[]> state(LocalRun run) {
        Map<String, byte[]> whole = new ConcurrentHashMap<>();
        run.onEachRank(part -> {
            for (StateShard shard : part.state().shards()) {
                if (shard.replica() == 0) {
                    store(shard, read(part.model(), shard), whole);
                }
            }
            return null;
        });
        return new TreeMap<>(whole);
    }

    private static void store(StateShard shard, byte[] piece, Map<String, byte[]> into) {
        int size = shard.local().dtype().byteSize();
        var whole = into.computeIfAbsent(
                shard.key(), _ -> new byte[(int) shard.globalShape().elements() * size]);
        boolean matrix = shard.globalShape().rank() > 1;
        int columns = matrix ? (int) shard.globalShape().dim(1) : 1;
        int width = matrix ? (int) shard.local().shape().dim(1) : 1;
        int firstColumn = matrix ? shard.offset().get(1).intValue() : 0;
        for (int row = 0; row < shard.local().shape().dim(0); row++) {
            int target = (shard.offset().get(0).intValue() + row) * columns + firstColumn;
            System.arraycopy(piece, row * width * size, whole, target * size, width * size);
        }
    }

    private static byte[] read(RankModel model, StateShard shard) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(shard.local().byteSize(), 64);
            model.device().transfer().download(model.queue(), shard.local(), host);
            model.queue().drain();
            return host.toArray(ValueLayout.JAVA_BYTE);
        }
    }
}
