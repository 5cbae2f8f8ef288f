package io.hirundo.dataloader.internal.order;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BlendTreeTest {
    static Stream<double[]> blends() {
        var random = new Random(3);
        double[] heavy = new double[41];
        Arrays.fill(heavy, 0.0025);
        heavy[0] = 0.9;
        return Stream.concat(
                Stream.of(new double[] {1}, new double[] {.5, .5}, new double[] {.7, .2, .1}, heavy, new double[] {
                    1e-12, 1
                }),
                Stream.generate(() -> random.doubles(2 + random.nextInt(30), 1e-3, 1)
                                .map(x -> x * x)
                                .toArray())
                        .limit(20));
    }

    @ParameterizedTest
    @MethodSource("blends")
    void everySampleIsTheNextOfOneDataset(double[] weights) {
        var tree = new BlendTree(weights);
        long[] counts = new long[weights.length];
        for (long index = 0; index < 5000; index++) {
            assertArrayEquals(counts, tree.countsAfter(index));
            var pick = tree.at(index);
            assertEquals(counts[pick.dataset()]++, pick.number());
        }
    }

    @ParameterizedTest
    @MethodSource("blends")
    void everyPrefixIsNearTheWeights(double[] weights) {
        var tree = new BlendTree(weights);
        double sum = Arrays.stream(weights).sum();
        var random = new Random(4);
        LongStream places = LongStream.concat(LongStream.range(0, 3000), random.longs(3000, 0, 1L << 40));
        places.forEach(place -> {
            long[] counts = tree.countsAfter(place);
            assertEquals(place, Arrays.stream(counts).sum());
            for (int dataset = 0; dataset < counts.length; dataset++) {
                double deviation = counts[dataset] - weights[dataset] / sum * place;
                assertTrue(Math.abs(deviation) < 1.5, "dataset " + dataset + " after " + place + ": " + deviation);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("blends")
    void picksAgreeWithCountsAtLargeIndexes(double[] weights) {
        var tree = new BlendTree(weights);
        for (long index : new long[] {1_000_000_007L, (1L << 40) + 1, (1L << 50) - 1}) {
            var pick = tree.at(index);
            long[] before = tree.countsAfter(index);
            assertEquals(before[pick.dataset()], pick.number());
            before[pick.dataset()]++;
            assertArrayEquals(before, tree.countsAfter(index + 1));
        }
    }

    @Test
    void equalWeightsAlternate() {
        var tree = new BlendTree(1, 1);
        assertEquals(tree.at(0).dataset(), 1 - tree.at(1).dataset());
        assertEquals(tree.at(0).dataset(), tree.at(2).dataset());
    }
}
