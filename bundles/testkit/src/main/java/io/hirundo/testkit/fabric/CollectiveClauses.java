package io.hirundo.testkit.fabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Summands;
import io.hirundo.testkit.scalar.value.HostValues;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Compares every collective with loops over the operands of all ranks; sums bitwise. */
public interface CollectiveClauses extends FabricOffer {
    @Clause(
            value = "allReduce(SUM) adds in rank order, bitwise, for any number of ranks, dtype and size",
            remedy =
                    "the order of the additions: ((x0 + x1) + x2) + ..., each rounded to the type; empty slices where there are"
                            + " fewer elements than ranks")
    default void sumsAreMadeInRankOrder() {
        everywhere((rank, dtype, count) -> {
            Tensor x = rank.tensor(dtype, count, i -> Summands.value(rank.number(), i));
            rank.all().allReduce(rank.queue(), x, Reduction.SUM).await();
            assertArrayEquals(Summands.sums(rank.all().size(), dtype, count), rank.values(x));
        });
    }

    @Clause(
            value = "allReduce(MAX) finds the largest element of all ranks",
            remedy = "the reduction that is used for MAX")
    default void maximaAreFound() {
        everywhere((rank, dtype, count) -> {
            Tensor x = rank.tensor(dtype, count, i -> Summands.value(rank.number(), i) * (i % 2 == 0 ? 1 : -1));
            rank.all().allReduce(rank.queue(), x, Reduction.MAX).await();
            double[] expected = new double[count];
            for (int i = 0; i < count; i++) {
                int at = i;
                expected[i] = IntStream.range(0, rank.all().size())
                        .mapToDouble(
                                other -> HostValues.rounded(dtype, Summands.value(other, at) * (at % 2 == 0 ? 1 : -1)))
                        .max()
                        .orElseThrow();
            }
            assertArrayEquals(expected, rank.values(x));
        });
    }

    @Clause(
            value =
                    "reduceScatter gives each rank its part of the sums and leaves the input unchanged; allGather joins the parts",
            remedy = "which part belongs to which rank, writes to the input, and the order of the additions")
    default void scattersAndGathers() {
        everywhere((rank, dtype, count) -> {
            int ranks = rank.all().size();
            Tensor whole = rank.tensor(dtype, (long) count * ranks, i -> Summands.value(rank.number(), i));
            double[] before = rank.values(whole);
            Tensor shard = rank.tensor(dtype, count);
            rank.all().reduceScatter(rank.queue(), whole, shard).await();
            assertArrayEquals(before, rank.values(whole), "the input must not change");
            Tensor gathered = rank.tensor(dtype, (long) count * ranks);
            rank.all().allGather(rank.queue(), shard, gathered).await();
            assertArrayEquals(Summands.sums(ranks, dtype, count * ranks), rank.values(gathered));
        });
    }

    @Clause(
            value = "reduceScatter and allGather work in place: the shard may be this rank's part of the full tensor",
            remedy = "reading a part after its sum was written there; large operands, which are summed in pieces")
    default void scattersAndGathersInPlace() {
        everywhere(CollectiveClauses::inPlace);
        Ranks.of(this, Ranks.mesh(1, 1, 3), 40).run(rank -> {
            inPlace(rank, DType.FP32, (1 << 20) + 5);
            return null;
        });
    }

    private static void inPlace(Rank rank, DType dtype, int count) {
        int ranks = rank.all().size();
        Tensor whole = rank.tensor(dtype, (long) count * ranks, i -> Summands.value(rank.number(), i));
        Tensor own = whole.rows((long) rank.number() * count, count);
        rank.all().reduceScatter(rank.queue(), whole, own);
        rank.all().allGather(rank.queue(), own, whole).await();
        assertArrayEquals(Summands.sums(ranks, dtype, count * ranks), rank.values(whole));
    }

    @Clause(
            value =
                    "allGather in place does not write to this rank's part, which its owner may change before the collective ends",
            remedy =
                    "upload only the parts of other ranks; ElementwiseKernels.copy writes nothing where a tensor is copied onto itself")
    default void inPlaceAllGatherDoesNotWriteOwnPart() {
        whileTheOwnerWrites((rank, whole, own) -> rank.all().allGather(rank.queue(), own, whole), rank -> true);
    }

    @Clause(
            value =
                    "broadcast does not write to the root's tensor, which the root may change before the collective ends",
            remedy = "leave the root out when the received values are stored")
    default void broadcastDoesNotWriteToTheRoot() {
        whileTheOwnerWrites(
                (rank, whole, own) -> rank.all().broadcast(rank.queue(), own, 1), rank -> rank.number() == 1);
    }

    /** Begins a collective of one rank, which has a part of a tensor. */
    interface Beginning {
        Pending begin(Rank rank, Tensor whole, Tensor own);
    }

    private void whileTheOwnerWrites(Beginning collective, Predicate<Rank> isOwner) {
        int count = 1 << 12;
        Ranks.of(this, Ranks.mesh(1, 1, 3), 40).run(rank -> {
            Tensor whole = rank.tensor(DType.FP32, 3 * count);
            Tensor own = whole.rows((long) rank.number() * count, count);
            int value = 0;
            for (int repetition = 0; repetition < 20; repetition++) {
                Event end = collective.begin(rank, whole, own).event();
                if (isOwner.test(rank)) {
                    do {
                        rank.bench().device().kernels().elementwise().fill(rank.queue(), own, ++value);
                        requireAll(value, rank.values(own));
                    } while (!end.hasHappened());
                }
                end.await();
                if (isOwner.test(rank)) {
                    requireAll(value, rank.values(own));
                }
            }
            return null;
        });
    }

    private static void requireAll(double expected, double[] values) {
        for (double value : values) {
            assertEquals(expected, value, "the collective overwrote the owner's value");
        }
    }

    @Clause(
            value = "broadcast gives every rank the values of the root, for any root",
            remedy = "the root is an index in the group")
    default void broadcasts() {
        everywhere(
                (rank, dtype, count) -> {
                    for (int root : List.of(0, rank.all().size() - 1)) {
                        Tensor x = rank.tensor(dtype, count, i -> Summands.value(rank.number(), i));
                        rank.all().broadcast(rank.queue(), x, root).await();
                        double[] got = rank.values(x);
                        for (int i = 0; i < count; i++) {
                            assertEquals(HostValues.rounded(dtype, Summands.value(root, i)), got[i]);
                        }
                    }
                },
                List.of(DType.FP32, DType.BF16),
                List.of(1, 7));
    }

    @Clause(
            value = "allToAll sends part r of every rank to rank r, in sender order",
            remedy = "which part is sent to which rank, and where it is stored")
    default void exchangesParts() {
        everywhere((rank, dtype, count) -> {
            int ranks = rank.all().size();
            Tensor from = rank.tensor(dtype, (long) count * ranks, i -> Summands.value(rank.number(), i));
            Tensor to = rank.tensor(dtype, (long) count * ranks);
            rank.all().allToAll(rank.queue(), from, to).await();
            double[] got = rank.values(to);
            for (int sender = 0; sender < ranks; sender++) {
                for (int i = 0; i < count; i++) {
                    double sent = HostValues.rounded(dtype, Summands.value(sender, (long) rank.number() * count + i));
                    assertEquals(sent, got[sender * count + i], "element " + i + " from rank " + sender);
                }
            }
        });
    }

    @Clause(
            value =
                    "allToAllRows sends each rank the rows that are meant for it, also none, in sender order, and writes to no other row",
            remedy = "the first row of each part, which is the sum of the counts before it; this rank's own rows")
    default void exchangesRows() {
        int columns = 3;
        everywhere(
                (rank, dtype, count) -> {
                    int ranks = rank.all().size();
                    long[] sent = IntStream.range(0, ranks)
                            .mapToLong(to -> rows(rank.number(), to))
                            .toArray();
                    long[] received = IntStream.range(0, ranks)
                            .mapToLong(sender -> rows(sender, rank.number()))
                            .toArray();
                    long sentRows = Arrays.stream(sent).sum() + 1;
                    long receivedRows = Arrays.stream(received).sum() + 1;
                    Tensor from = rank.tensor(dtype, sentRows * columns, i -> Summands.value(rank.number(), i))
                            .reshape(sentRows, columns);
                    Tensor to =
                            rank.tensor(dtype, receivedRows * columns, i -> -7).reshape(receivedRows, columns);
                    rank.all()
                            .allToAllRows(rank.queue(), from, sent, to, received)
                            .await();
                    double[] got = rank.values(to);
                    int at = 0;
                    for (int sender = 0; sender < ranks; sender++) {
                        int own = sender;
                        long first = IntStream.range(0, rank.number())
                                        .mapToLong(other -> rows(own, other))
                                        .sum()
                                * columns;
                        for (long i = first; i < first + received[sender] * columns; i++) {
                            assertEquals(
                                    HostValues.rounded(dtype, Summands.value(sender, i)),
                                    got[at++],
                                    "element " + i + " from rank " + sender);
                        }
                    }
                    assertArrayEquals(
                            new double[] {-7, -7, -7},
                            Arrays.copyOfRange(got, at, got.length),
                            "a row behind the received ones was written to");
                },
                List.of(DType.FP32, DType.FP64, DType.BF16),
                List.of(1));
    }

    private static long rows(int from, int to) {
        return (2L * from + to) % 4;
    }

    @Clause(value = "Integers are moved unchanged", remedy = "data that is not reduced must not be converted")
    default void integersAreMoved() {
        everywhere(
                (rank, dtype, count) -> {
                    Tensor shard = rank.tensor(dtype, count, i -> Integer.MAX_VALUE - rank.number() * 10_000L - i);
                    Tensor whole = rank.tensor(dtype, (long) count * rank.all().size());
                    rank.all().allGather(rank.queue(), shard, whole).await();
                    double[] got = rank.values(whole);
                    for (int i = 0; i < got.length; i++) {
                        assertEquals(Integer.MAX_VALUE - i / count * 10_000L - i % count, got[i]);
                    }
                },
                List.of(DType.INT32),
                List.of(1, 7, 1001));
    }

    @Clause(value = "Sums do not depend on the order in which ranks arrive", remedy = "adding operands as they arrive")
    default void delaysDoNotChangeSums() {
        var seen = new HashSet<List<Double>>();
        for (int late = 0; late < 4; late++) {
            int last = late;
            Ranks.of(this, Ranks.mesh(1, 1, 4), 40)
                    .run(rank -> {
                        Tensor x = rank.tensor(DType.FP32, 33, i -> Summands.value(rank.number(), i));
                        Thread.sleep(rank.number() == last ? 30 : 0);
                        rank.all().allReduce(rank.queue(), x, Reduction.SUM).await();
                        return rank.values(x);
                    })
                    .forEach(sums -> seen.add(Arrays.stream(sums).boxed().toList()));
        }
        assertEquals(1, seen.size(), "different sums");
    }

    /** What each rank does for a dtype and a number of elements. */
    interface Case {
        void run(Rank rank, DType dtype, int count);
    }

    private void everywhere(Case each) {
        everywhere(each, List.of(DType.FP32, DType.FP64, DType.BF16), List.of(1, 7, 1001));
    }

    private void everywhere(Case each, List<DType> dtypes, List<Integer> counts) {
        for (int ranks : List.of(1, 2, 3, 4, 8)) {
            Ranks.of(this, Ranks.mesh(1, 1, ranks), 40).run(rank -> {
                for (DType dtype : dtypes) {
                    for (int count : counts) {
                        each.run(rank, dtype, count);
                    }
                }
                return null;
            });
        }
    }
}
