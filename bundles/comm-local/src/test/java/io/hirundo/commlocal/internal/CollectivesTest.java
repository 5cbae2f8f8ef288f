package io.hirundo.commlocal.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.support.Scratch;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every collective against loops over the operands of all ranks; sums bit by bit. */
class CollectivesTest {
  private static final double[] SIZES = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

  static Stream<Arguments> cases() {
    return IntStream.of(1, 2, 3, 4, 8)
        .boxed()
        .flatMap(
            ranks ->
                Stream.of(DType.FP32, DType.FP64, DType.BF16)
                    .flatMap(dtype -> Stream.of(1L, 7L, 1001L).map(count -> Arguments.of(ranks, dtype, count))));
  }

  /** More than a chunk, and not a multiple of one. */
  static Stream<Arguments> large() {
    return Stream.of(Arguments.of(3, DType.FP32, Scratch.MAX_ELEMENTS + 5));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void sumsInRankOrder(int ranks, DType dtype, long count) {
    for (double[] values : run(ranks, rank -> {
      var x = rank.tensor(dtype, count, i -> value(rank.number(), i));
      rank.all().allReduce(rank.queue(), x, Reduction.SUM).await();
      return Rank.values(x);
    })) {
      assertArrayEquals(sums(ranks, dtype, count), values);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void findsMaxima(int ranks, DType dtype, long count) {
    var expected = new double[(int) count];
    for (int i = 0; i < count; i++) {
      int at = i;
      expected[i] = IntStream.range(0, ranks).mapToDouble(rank -> rounded(dtype, value(rank, at))).max().orElseThrow();
    }
    for (double[] values : run(ranks, rank -> {
      var x = rank.tensor(dtype, count, i -> value(rank.number(), i));
      rank.all().allReduce(rank.queue(), x, Reduction.MAX).await();
      return Rank.values(x);
    })) {
      assertArrayEquals(expected, values);
    }
  }

  @ParameterizedTest
  @MethodSource({"cases", "large"})
  void scattersTheSameSums(int ranks, DType dtype, long count) {
    double[] expected = sums(ranks, dtype, count * ranks);
    for (double[] values : run(ranks, rank -> {
      var whole = rank.tensor(dtype, count * ranks, i -> value(rank.number(), i));
      var shard = rank.tensor(dtype, count);
      rank.all().reduceScatter(rank.queue(), whole, shard).await();
      for (int i = 0; i < count * ranks; i++) {
        assertEquals(rounded(dtype, value(rank.number(), i)), whole.getDouble(i), "the whole is read only");
      }
      var gathered = rank.tensor(dtype, count * ranks);
      rank.all().allGather(rank.queue(), shard, gathered).await();
      return Rank.values(gathered);
    })) {
      assertArrayEquals(expected, values);
    }
  }

  @ParameterizedTest
  @MethodSource({"cases", "large"})
  void scattersAndGathersInPlace(int ranks, DType dtype, long count) {
    double[] expected = sums(ranks, dtype, count * ranks);
    for (double[] values : run(ranks, rank -> {
      var whole = rank.tensor(dtype, count * ranks, i -> value(rank.number(), i));
      Tensor own = whole.rows(rank.number() * count, count);
      rank.all().reduceScatter(rank.queue(), whole, own);
      rank.all().allGather(rank.queue(), own, whole).await();
      return Rank.values(whole);
    })) {
      assertArrayEquals(expected, values);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void broadcastsFromAnyRank(int ranks, DType dtype, long count) {
    for (int root : List.of(0, ranks - 1)) {
      for (double[] values : run(ranks, rank -> {
        var x = rank.tensor(dtype, count, i -> value(rank.number(), i));
        rank.all().broadcast(rank.queue(), x, root).await();
        return Rank.values(x);
      })) {
        assertArrayEquals(IntStream.range(0, (int) count).mapToDouble(i -> rounded(dtype, value(root, i))).toArray(), values);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void exchangesParts(int ranks, DType dtype, long count) {
    var results = run(ranks, rank -> {
      var from = rank.tensor(dtype, count * ranks, i -> value(rank.number(), i));
      var to = rank.tensor(dtype, count * ranks);
      rank.all().allToAll(rank.queue(), from, to).await();
      return Rank.values(to);
    });
    for (int rank = 0; rank < ranks; rank++) {
      for (int from = 0; from < ranks; from++) {
        for (int i = 0; i < count; i++) {
          assertEquals(rounded(dtype, value(from, rank * count + i)), results.get(rank)[(int) (from * count + i)]);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void gathersIntegersToo(int ranks, DType ignored, long count) {
    for (double[] values : run(ranks, rank -> {
      var shard = rank.tensor(DType.INT32, count, i -> rank.number() * 10_000 + i);
      var whole = rank.tensor(DType.INT32, count * ranks);
      rank.all().allGather(rank.queue(), shard, whole).await();
      return Rank.values(whole);
    })) {
      assertArrayEquals(
          IntStream.range(0, (int) count * ranks).mapToDouble(i -> i / count * 10_000 + i % count).toArray(), values);
    }
  }

  @Test
  void memoryFollowsFromWhatIsBegun() {
    run(
        3,
        rank -> {
          var whole = rank.tensor(DType.FP32, 300, i -> 1);
          var taken = new ArrayList<Long>();
          rank.all().allReduce(rank.queue(), whole, Reduction.SUM);
          taken.add(rank.ledger().communicationBytes());
          for (long part : List.of(10L, 16L, 3L, 17L, 32L, 100L)) {
            rank.all().reduceScatter(rank.queue(), whole.rows(0, 3 * part), rank.tensor(DType.FP32, part));
            taken.add(rank.ledger().communicationBytes());
          }
          rank.world().group(List.of(0, 1, 2)).reduceScatter(rank.queue(), whole.rows(0, 3), rank.tensor(DType.FP32, 1));
          taken.add(rank.ledger().communicationBytes());
          // Chunks of 16, 32 and 128 elements, and one of the other group, each rounded up to 64 bytes.
          assertEquals(List.of(0L, 64L, 64L, 64L, 192L, 192L, 704L, 768L), taken);
          return null;
        });
  }

  private static <T> List<T> run(int ranks, Ranks.Program<T> program) {
    return Ranks.run(Ranks.mesh(1, 1, ranks), program);
  }

  /** Values of very different size, so that another order of summation shows. */
  private static double value(int rank, long index) {
    long bits = (index * 8 + rank + 1) * 0x9E3779B97F4A7C15L;
    bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
    return (bits >> 40) * SIZES[(int) (bits & 7)];
  }

  private static double[] sums(int ranks, DType dtype, long count) {
    var sums = new double[(int) count];
    for (int i = 0; i < count; i++) {
      sums[i] = rounded(dtype, value(0, i));
      for (int rank = 1; rank < ranks; rank++) {
        sums[i] = rounded(dtype, sums[i] + rounded(dtype, value(rank, i)));
      }
    }
    return sums;
  }

  private static double rounded(DType dtype, double value) {
    return switch (dtype) {
      case FP32 -> (float) value;
      case BF16 -> {
        int bits = Float.floatToRawIntBits((float) value);
        yield Float.intBitsToFloat((bits + 0x7fff + (bits >>> 16 & 1)) & 0xffff0000);
      }
      default -> value;
    };
  }
}
