package io.hirundo.paralleldp.internal.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.paralleldp.internal.layout.BucketLayout.Place;
import io.hirundo.paralleldp.internal.layout.BucketLayout.Run;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketLayoutTest {
    @Test
    void bucketsFillFromTheLastParameterAndCloseOnceTheyHoldEnough() {
        // Declared: 300, 50, 100, 99, 1, 7. From behind 7 + 1 + 99 + 100 = 207 is the first sum to reach 200.
        List<BucketLayout> buckets = buckets(List.of(300L, 50L, 100L, 99L, 1L, 7L), 200, 2);

        assertEquals(2, buckets.size());
        assertEquals(
                List.of(new Place(5, 0, 7), new Place(4, 7, 1), new Place(3, 8, 99), new Place(2, 107, 100)),
                buckets.get(0).places());
        assertEquals(
                List.of(new Place(1, 0, 50), new Place(0, 50, 300)),
                buckets.get(1).places());
        assertEquals(207, buckets.get(0).usedElements());
        assertEquals(256, buckets.get(0).elements(), "207, padded to a multiple of 128");
        assertEquals(384, buckets.get(1).elements());
    }

    @Test
    void closesABucketThatHoldsExactlyEnough() {
        assertEquals(3, buckets(List.of(64L, 64L, 64L), 64, 1).size());
        assertEquals(2, buckets(List.of(64L, 64L, 64L), 65, 1).size());
    }

    @Test
    void padsToTheLeastCommonMultipleOfRanksAnd128() {
        assertEquals(128, only(1, 1).elements());
        assertEquals(128, only(128, 4).elements());
        assertEquals(256, only(129, 8).elements());
        assertEquals(384, only(1, 3).elements());
        assertEquals(768, only(385, 6).elements(), "lcm(6, 128) = 384");
        assertEquals(256, only(1, 256).elements());
        assertEquals(40_000_128, only(40_000_001, 2).elements());
    }

    @Test
    void slicesIgnoreParameterBoundaries() {
        BucketLayout bucket = buckets(List.of(150L, 100L), 1000, 2).getFirst();
        Place first = bucket.places().get(1);
        Place second = bucket.places().get(0);

        assertEquals(256, bucket.elements());
        assertEquals(Optional.of(new Run(0, 0, 100)), bucket.run(second, 0));
        assertEquals(Optional.empty(), bucket.run(second, 1));
        assertEquals(Optional.of(new Run(100, 0, 28)), bucket.run(first, 0));
        assertEquals(Optional.of(new Run(128, 28, 122)), bucket.run(first, 1));
    }

    @Test
    void rejectsOwnedParametersThatAreNotInTheOrderOfTheirOwners() {
        var failure = assertThrows(
                IllegalArgumentException.class,
                () -> BucketLayout.owned(List.of(0, 1, 2), List.of(8L, 8L, 8L), List.of(0, 1, 0)::get, 2));
        assertEquals("parameter 2 is not behind those of the ranks before its owner", failure.getMessage());
        assertEquals(
                3,
                BucketLayout.owned(List.of(0, 2, 1), List.of(8L, 8L, 8L), List.of(0, 1, 0)::get, 2)
                        .places()
                        .size());
    }

    @Test
    void bucketsOfALargeModelCloseAtFortyMillionOrAMillionForEachRank() {
        long elements = 8_030_000_000L;
        assertEquals(40_000_000, new Zero1Options().closingElements(elements, 1));
        assertEquals(40_000_000, new Zero1Options().closingElements(elements, 40));
        assertEquals(64_000_000, new Zero1Options().closingElements(elements, 64));
        assertEquals(5, new Zero1Options(5, true, true, true).closingElements(elements, 64));
    }

    @Test
    void bucketsOfASmallModelAreSixtyFourUnlessLatencyWouldRule() {
        assertEquals(10_000_000, new Zero1Options().closingElements(640_000_000, 8));
        assertEquals(262_144, new Zero1Options().closingElements(8_300_000, 2));
        assertEquals(64 * 131_072, new Zero1Options().closingElements(8_300_000, 64));
        assertEquals(40_000_000, new Zero1Options().closingElements(8_300_000, 1), "nothing is sent");
        assertEquals(
                131_072,
                new Zero1Options(0, true, true, true, false, "fp32", true).closingElements(8_300_000, 1),
                "late gradients");
        assertEquals(5, new Zero1Options(5, true, true, true).closingElements(8_300_000, 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8})
    void everyElementBelongsToExactlyOneRank(int ranks) {
        var random = new Random(7);
        List<Long> sizes = random.longs(23, 1, 700).boxed().toList();
        for (long closing : new long[] {1, 500, 2000, 1_000_000}) {
            var owned = sizes.stream().map(size -> new BitSet(size.intValue())).toList();
            for (BucketLayout bucket : buckets(sizes, closing, ranks)) {
                assertEquals(0, bucket.elements() % ranks);
                assertEquals(0, bucket.elements() % 128);
                for (Place place : bucket.places()) {
                    for (int rank = 0; rank < ranks; rank++) {
                        bucket.run(place, rank).ifPresent(run -> claim(owned.get(place.parameter()), run));
                    }
                }
            }
            for (int parameter = 0; parameter < sizes.size(); parameter++) {
                assertEquals(sizes.get(parameter), owned.get(parameter).cardinality());
            }
        }
    }

    private static void claim(BitSet owned, Run run) {
        int end = (int) (run.firstOfParameter() + run.elements());
        int taken = owned.nextSetBit((int) run.firstOfParameter());
        assertTrue(taken < 0 || taken >= end, () -> "element " + taken + " has two owners");
        owned.set((int) run.firstOfParameter(), end);
    }

    private static List<BucketLayout> buckets(List<Long> sizes, long closing, int ranks) {
        return BucketLayout.groups(sizes, closing).stream()
                .map(group -> BucketLayout.packed(group, sizes, ranks, 1))
                .toList();
    }

    private static BucketLayout only(long elements, int ranks) {
        return buckets(List.of(elements), 1, ranks).getFirst();
    }
}
