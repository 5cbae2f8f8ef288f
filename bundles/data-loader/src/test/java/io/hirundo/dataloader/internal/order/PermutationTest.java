package io.hirundo.dataloader.internal.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermutationTest {
    /** Of a chi-square statistic: its distance from its mean in standard deviations, about normal for many degrees of freedom. */
    private static double deviations(double chiSquare, long freedom) {
        return (chiSquare - freedom) / Math.sqrt(2.0 * freedom);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1000, 4097, 100_003, 1 << 20})
    void mapsEveryIndexToAnotherElement(long size) {
        for (long key = 0; key < 3; key++) {
            var permutation = new Permutation(size, key);
            var seen = new BitSet();
            for (long index = 0; index < size; index++) {
                int element = Math.toIntExact(permutation.at(index));
                assertTrue(element < size && !seen.get(element), "element " + element + " of " + size);
                seen.set(element);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void givesEveryPermutationOfFewElementsEquallyOften(int size) {
        int permutations =
                LongStream.rangeClosed(1, size).mapToInt(Math::toIntExact).reduce(1, (a, b) -> a * b);
        int each = 400;
        Map<List<Long>, Integer> seen = new HashMap<>();
        for (long key = 0; key < (long) permutations * each; key++) {
            var permutation = new Permutation(size, Mixing.mix(key));
            seen.merge(LongStream.range(0, size).map(permutation::at).boxed().toList(), 1, Integer::sum);
        }
        assertEquals(permutations, seen.size());
        double chiSquare = seen.values().stream()
                .mapToDouble(count -> Math.pow(count - each, 2) / each)
                .sum();
        assertTrue(deviations(chiSquare, permutations - 1) < 4, "chi-square " + chiSquare + " of " + permutations);
    }

    /** Over many keys each element is found at each place equally often. */
    @ParameterizedTest
    @ValueSource(ints = {17, 64, 100})
    void positionsAreUniform(int size) {
        int keys = 20_000;
        long[][] counts = new long[size][size];
        for (long key = 0; key < keys; key++) {
            var permutation = new Permutation(size, Mixing.mix(key));
            for (int index = 0; index < size; index++) {
                counts[index][Math.toIntExact(permutation.at(index))]++;
            }
        }
        double expected = (double) keys / size;
        double chiSquare = Arrays.stream(counts)
                .flatMapToLong(Arrays::stream)
                .mapToDouble(count -> Math.pow(count - expected, 2) / expected)
                .sum();
        // Rows and columns sum to the number of keys.
        long freedom = (size - 1L) * (size - 1);
        assertTrue(
                Math.abs(deviations(chiSquare, freedom)) < 4,
                "chi-square " + chiSquare + " with " + freedom + " degrees of freedom");
    }

    /** What follows an element does not depend on it: correlation of neighbors, at several distances, is noise of 1 / sqrt(n). */
    @ParameterizedTest
    @ValueSource(longs = {100_003, 1_000_000_000_000L})
    void neighborsAreUncorrelated(long size) {
        var permutation = new Permutation(size, 42);
        int count = 100_000;
        double[] values = LongStream.range(0, count)
                .mapToDouble(index -> (double) permutation.at(index) / size - 0.5)
                .toArray();
        for (int lag : new int[] {1, 2, 3, 8, 64, 1024}) {
            double product = 0;
            for (int index = lag; index < count; index++) {
                product += values[index] * values[index - lag];
            }
            double correlation = product / (count - lag) * 12;
            assertTrue(
                    Math.abs(correlation) < 5 / Math.sqrt(count), "correlation " + correlation + " at distance " + lag);
        }
    }

    @Test
    void keysGiveDifferentOrders() {
        var first = new Permutation(1000, 1);
        var second = new Permutation(1000, 2);
        long same = LongStream.range(0, 1000)
                .filter(index -> first.at(index) == second.at(index))
                .count();
        // One is expected of two that are independent.
        assertTrue(same < 10, same + " of 1000");
        assertNotEquals(first.at(0), second.at(0));
    }

    @Test
    void orderIsFixed() {
        // A run that is resumed by a later version reads on in this order: never change it.
        var permutation = new Permutation(1000, 7);
        assertEquals(
                List.of(90L, 433L, 999L, 545L, 499L, 820L, 928L, 776L),
                LongStream.range(0, 8).map(permutation::at).boxed().toList());
    }

    @Test
    void rejectsIndexesOutOfRange() {
        assertThrows(IndexOutOfBoundsException.class, () -> new Permutation(5, 1).at(5));
        assertThrows(IndexOutOfBoundsException.class, () -> new Permutation(5, 1).at(-1));
        assertThrows(IllegalArgumentException.class, () -> new Permutation(0, 1));
    }
}
