package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.AsyncFactory;
import io.hirundo.checkpointdcp.internal.AsyncOptions;
import io.hirundo.checkpointdcp.internal.SyncFactory;
import io.hirundo.checkpointdcp.internal.SyncOptions;
import io.hirundo.model.Recompute;
import io.hirundo.trainer.internal.run.Layouts.Extents;
import io.hirundo.trainer.internal.run.Layouts.Layout;
import io.hirundo.trainer.internal.run.Layouts.Ways;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
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

/** What one layout saved, every other loads to the bit and goes on with. */
class LayoutChangeTest {
  private static final int STEPS = 2;

  private static final List<Layout> LAYOUTS =
      List.of(
          Layout.alone(false),
          layout(4, 1, 1, 1, Ways.of("1f1b")),
          layout(1, 4, 1, 1, new Ways("1f1b", "all-gather", "zero1", true, true)),
          layout(1, 1, 4, 1, Ways.of("interleaved")),
          layout(1, 1, 1, 4, new Ways("1f1b", "ring", "fsdp", true, true)),
          layout(2, 1, 2, 2, Ways.of("zb-h1")),
          layout(1, 1, 2, 2, Ways.of("zb-v")));

  @TempDir private static Path folder;

  /** State and losses of each layout that has saved. */
  private static final Map<Layout, Saved> SAVED = new ConcurrentHashMap<>();

  /** Losses are of the steps before the checkpoint, and of as many after it. */
  private record Saved(Path checkpoints, Map<String, byte[]> state, List<Double> losses) {}

  record Pair(Layout from, Layout to) {}

  private static Layout layout(int tensor, int context, int pipeline, int data, Ways ways) {
    return new Layout(new Extents(tensor, context, pipeline, data), ways, Recompute.NONE, 1, false);
  }

  /** Each with itself and three others: 28 pairs. */
  static Stream<Pair> pairs() {
    return IntStream.range(0, LAYOUTS.size())
        .boxed()
        .flatMap(
            from ->
                IntStream.of(0, 1, 2, 4)
                    .mapToObj(further -> new Pair(LAYOUTS.get(from), LAYOUTS.get((from + further) % LAYOUTS.size()))));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void theStateIsTheSameAndTheTrainingGoesOn(Pair pair) {
    Saved saved = SAVED.computeIfAbsent(pair.from(), LayoutChangeTest::save);
    List<Double> losses;
    try (var run = open(pair.to());
        var checkpoints = new RunCheckpoints(run, saved.checkpoints())) {
      checkpoints.restore();
      Map<String, byte[]> state = state(run);
      assertEquals(saved.state().keySet(), state.keySet());
      state.forEach((key, bytes) -> assertArrayEquals(saved.state().get(key), bytes, key));
      losses = steps(run);
    }
    List<Double> unbroken = saved.losses().subList(STEPS, 2 * STEPS);
    if (pair.from().equals(pair.to())) {
      assertEquals(unbroken, losses);
    }
    for (int step = 0; step < STEPS; step++) {
      assertEquals(1, losses.get(step) / unbroken.get(step), 1e-5, losses + " and " + unbroken);
    }
  }

  private static Saved save(Layout layout) {
    Path directory = folder.resolve("of-" + LAYOUTS.indexOf(layout));
    try (var run = open(layout)) {
      List<Double> losses = steps(run);
      Map<String, byte[]> state = state(run);
      try (var checkpoints = new RunCheckpoints(run, directory)) {
        checkpoints.save();
        // Weights change while they are written.
        losses.addAll(steps(run));
      }
      return new Saved(directory, state, losses);
    }
  }

  private static OpenRun open(Layout layout) {
    CheckpointStrategy strategy =
        layout.extents().ranks() == 4
            ? new SyncFactory(NamedBundle.context()).create(new SyncOptions())
            : new AsyncFactory(NamedBundle.context()).create(new AsyncOptions());
    var plain = Layouts.strategies(layout, Layouts.cpu(), request -> new Layouts.Text());
    var outcome = new Strategies.Outcome(Optional.of(strategy), List.of());
    return OpenRun.open(
        Layouts.configuration(layout),
        new Strategies(plain.compute(), plain.parallel(), plain.model(), plain.step(), plain.data(), outcome));
  }

  private static List<Double> steps(OpenRun run) {
    var losses = new ArrayList<Double>();
    for (int step = 0; step < STEPS; step++) {
      losses.add(run.step().loss());
    }
    return losses;
  }

  /** Whole tensors, put together from what the ranks own. */
  private static Map<String, byte[]> state(OpenRun run) {
    Map<String, byte[]> whole = new ConcurrentHashMap<>();
    run.onEachRank(
        part -> {
          for (StateShard shard : part.stateShards()) {
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
    var whole = into.computeIfAbsent(shard.key(), _ -> new byte[(int) shard.globalShape().elements() * size]);
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
