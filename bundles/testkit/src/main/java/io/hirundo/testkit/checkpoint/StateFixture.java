package io.hirundo.testkit.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Summands;
import io.hirundo.testkit.fixture.AloneWorld;
import io.hirundo.testkit.scalar.value.HostValues;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Training states on a bench. Every element is a function of a seed, the key and its index in the global tensor. */
public final class StateFixture {
    /** Tensors of several dtypes and odd shapes. */
    private static final Map<String, DType> TYPES = new LinkedHashMap<>();

    private static final Map<String, Shape> SHAPES = new LinkedHashMap<>();

    static {
        add("model/a", DType.FP32, 37, 53);
        add("model/b", DType.BF16, 301, 6);
        add("optimizer/exp_avg/a", DType.FP64, 11, 14);
        add("counts", DType.INT32, 3, 2);
        add("bias", DType.FP32, 7);
        add("scalar", DType.FP64);
    }

    private static void add(String key, DType dtype, long... dims) {
        TYPES.put(key, dtype);
        SHAPES.put(key, Shape.of(dims));
    }

    private final Bench bench;
    private final CheckpointStrategy strategy;
    private final Path directory;

    public StateFixture(Bench bench, CheckpointStrategy strategy, Path directory) {
        this.bench = bench;
        this.strategy = strategy;
        this.directory = directory;
    }

    public CheckpointSession open() {
        return strategy.open(
                new CheckpointContext(directory, new AloneWorld(bench.device()), bench.device(), bench.queue()));
    }

    public TrainingState state(long step, int seed) {
        return new TrainingState(step, whole(seed), values(seed));
    }

    public static Map<String, Object> values(int seed) {
        return Map.of(
                "seed",
                (long) seed,
                "rate",
                0.1 * seed,
                "text",
                "日本語 \"quoted\"\n",
                "list",
                List.of(true, Map.of("deep", 1L << 60)));
    }

    /** All tensors, unsharded. */
    public List<StateShard> whole(int seed) {
        var shards = new ArrayList<StateShard>();
        SHAPES.forEach((key, shape) -> shards.add(piece(key, shape, Collections.nCopies(shape.rank(), 0L), seed)));
        return shards;
    }

    /** All tensors; those with several dimensions as two shards along one of them. */
    public List<StateShard> halves(int dim, int seed) {
        var shards = new ArrayList<StateShard>();
        SHAPES.forEach((key, shape) -> {
            if (shape.rank() < 2) {
                shards.add(piece(key, shape, Collections.nCopies(shape.rank(), 0L), seed));
                return;
            }
            long first = shape.dim(dim) / 2;
            for (long begin : List.of(0L, first)) {
                var dims = new ArrayList<>(shape.dims());
                dims.set(dim, begin == 0 ? first : shape.dim(dim) - first);
                var offset = new ArrayList<>(Collections.nCopies(shape.rank(), 0L));
                offset.set(dim, begin);
                shards.add(piece(key, new Shape(dims), offset, seed));
            }
        });
        return shards;
    }

    private StateShard piece(String key, Shape piece, List<Long> offset, int seed) {
        var dims = piece.dims().stream().mapToLong(Long::longValue).toArray();
        Tensor tensor =
                bench.tensor(TYPES.get(key), i -> value(key, place(SHAPES.get(key), piece, offset, i), seed), dims);
        return new StateShard(key, SHAPES.get(key), offset, tensor, 0);
    }

    public StateShard of(String key, DType dtype, Shape shape) {
        Tensor tensor = bench.tensor(
                dtype, shape.dims().stream().mapToLong(Long::longValue).toArray());
        return new StateShard(key, shape, Collections.nCopies(shape.rank(), 0L), tensor, 0);
    }

    /** Overwrites all values. */
    public void spoil(List<StateShard> shards) {
        shards.forEach(shard -> bench.write(shard.local(), i -> -1));
    }

    public void requireLoads(CheckpointSession session, CheckpointInfo checkpoint, List<StateShard> into, int seed) {
        spoil(into);
        session.load(checkpoint, into);
        for (StateShard shard : into) {
            double[] loaded = bench.read(shard.local());
            var expected = new double[loaded.length];
            for (int i = 0; i < expected.length; i++) {
                long place = place(shard.globalShape(), shard.local().shape(), shard.offset(), i);
                expected[i] = HostValues.rounded(shard.local().dtype(), value(shard.key(), place, seed));
            }
            assertArrayEquals(expected, loaded, () -> shard.key() + " at " + shard.offset());
        }
        assertEquals(values(seed), session.values(checkpoint));
    }

    private static double value(String key, long place, int seed) {
        return Summands.value(seed, place + 1000L * key.length()) % 1e6;
    }

    /** Index in the global tensor of a shard's element. */
    private static long place(Shape whole, Shape piece, List<Long> offset, long element) {
        long left = element;
        long stride = 1;
        long place = 0;
        for (int dim = whole.rank() - 1; dim >= 0; dim--) {
            place += (offset.get(dim) + left % piece.dim(dim)) * stride;
            left /= piece.dim(dim);
            stride *= whole.dim(dim);
        }
        return place;
    }
}
