package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.MemoryCategory;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory of eight ranks that train, by the formulas of docs/parallelism.md. */
class ModeMemoryTest {
  private static final int RANKS = 8;

  /** Elements are padded to a common multiple of this and of the ranks, here to a multiple of this. */
  private static final long UNIT = 128;

  /** Devices round up to this many bytes: at most one such rounding for each slice of a block. */
  private static final long ROUNDING_BYTES = 6 * 64;

  /** Bytes per element: weights and gradients of each rank, and of the ranks of a shard group together. */
  @ParameterizedTest
  @CsvSource({
    "fp32, zero1, 4, 0, 4, 0",
    "fp32, zero2, 4, 0, 0, 4",
    "fp32, fsdp, 0, 4, 0, 4",
    "bf16, zero1, 2, 4, 4, 0",
    "bf16, zero1 bf16, 2, 4, 2, 4",
    "bf16, fsdp bf16, 0, 4, 0, 4",
    "bf16, zero2, 2, 4, 0, 4",
    "bf16, fsdp, 0, 4, 0, 4",
    "bf16, zero2 in shards of 2, 2, 4, 0, 4",
    "fp32, fsdp in shards of 4, 0, 4, 0, 4",
    "no masters, zero1, 2, 0, 4, 0",
    "no masters, zero1 bf16, 2, 0, 2, 4",
    "no masters, zero2, 2, 0, 0, 4",
    "no masters, fsdp, 0, 2, 0, 4",
    "no masters, fsdp in shards of 4, 0, 2, 0, 4"
  })
  void isThatOfTheFormula(
      String precision, String mode, int weights, int sharedWeights, int gradients, int sharedGradients) {
    int shards = mode.contains(" in shards of ") ? Integer.parseInt(mode.substring(mode.lastIndexOf(' ') + 1)) : RANKS;
    PrecisionStrategy strategy =
        precision.equals("fp32") ? Layouts.FP32 : new Bf16Factory().create(new Bf16Options(precision.equals("bf16") ? "fp32" : "none"));
    var layout = new Layout(new Layouts.Extents(1, 1, 1, RANKS), new Layouts.Ways("1f1b", "ring", mode, true, true), Recompute.NONE, 1, false);
    var configuration = Layouts.configuration(layout);
    try (LocalRun run = LocalRun.open(configuration, Layouts.strategies(layout, strategy, Layouts.cpu(), request -> new Layouts.Text()))) {
      run.step();
      run.step();
      long[] elements = new long[1];
      long[] moments = new long[RANKS];
      run.onEachRank(
          rank -> {
            elements[0] = elements(mode, rank.model().parameterSpecs());
            moments[rank.model().rank().world().rank()] =
                2L * Float.BYTES * rank.model().sharded().owned().stream().mapToLong(owned -> owned.value().elements()).sum();
            return null;
          });
      for (int rank = 0; rank < RANKS; rank++) {
        var peak = run.ranks().ledger(rank).peakBytes();
        long expected = elements[0] * weights + elements[0] * sharedWeights / shards;
        assertEquals(expected, peak.get(MemoryCategory.WEIGHTS), sharedWeights == 2 ? ROUNDING_BYTES : 0, "rank " + rank);
        assertEquals(elements[0] * gradients + elements[0] * sharedGradients / shards, peak.get(MemoryCategory.GRADIENTS), "rank " + rank);
        assertEquals(moments[rank], peak.get(MemoryCategory.OPTIMIZER), "rank " + rank);
      }
    }
  }

  /** Of all layouts, with padding: the small model has one bucket; otherwise a block has one, as none shares a parameter. */
  private static long elements(String mode, List<List<ParameterSpec>> blocks) {
    LongStream ofBlocks = blocks.stream().mapToLong(block -> block.stream().mapToLong(spec -> spec.shape().elements()).sum());
    return mode.startsWith("zero1") ? padded(ofBlocks.sum()) : ofBlocks.map(ModeMemoryTest::padded).sum();
  }

  private static long padded(long elements) {
    return Math.ceilDiv(elements, UNIT) * UNIT;
  }
}
