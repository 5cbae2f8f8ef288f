package io.hirundo.paralleldp.internal.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who owns what, where an optimizer needs whole matrices. */
class LayoutsTest {
    /** As Muon does: embedding and loss head are updated by elements. */
    private static final Function<ParameterSpec, Ownership> MATRICES_OF_BLOCKS =
            spec -> spec.isMatrix() && spec.name().startsWith("layers") ? Ownership.TENSOR : Ownership.ELEMENTS;

    /** Elements of the fullest rank, of weights and so of all state, are within 3 % of even. */
    @ParameterizedTest
    @CsvSource({
        "8B, 8", "8B, 16", "8B, 64",
        "70B, 8", "70B, 16", "70B, 64"
    })
    void ranksAreEvenForRealModels(String model, int ranks) {
        List<ParameterSpec> specs = model.equals("8B") ? llama(32, 4096, 14336, 1024) : llama(80, 8192, 28672, 1024);
        var layouts =
                layouts(specs, new Zero1Options().closingElements(elements(specs), ranks), ranks, MATRICES_OF_BLOCKS);
        List<BucketLayout> buckets = layouts.buckets();
        long[] owned = owned(buckets, ranks);
        long most =
                IntStream.range(0, ranks).mapToLong(rank -> owned[rank]).max().orElseThrow();
        double share = (double) most * ranks / elements(specs);
        assertTrue(share < 1.03, () -> "the fullest of " + ranks + " ranks owns " + share + " of an even share");
        assertEquals(share, layouts.imbalance(), 1e-3);
        // The padded buffers, of which devices allocate the slices.
        long padded = IntStream.range(0, ranks)
                .mapToLong(rank -> buckets.stream()
                        .mapToLong(each -> each.sliceElements(rank))
                        .sum())
                .max()
                .orElseThrow();
        assertEquals(1, (double) padded / most, 1e-3);
    }

    @Test
    void matrixLargerThanAnEvenShareIsReportedAsImbalance() {
        var specs = List.of(spec("layers.0", 1000, 1000), spec("layers.1", 500, 500));
        assertEquals(1.6, layouts(specs, 1, 2, MATRICES_OF_BLOCKS).imbalance(), 1e-9);
    }

    @Test
    void everyElementHasOneOwnerAndMatricesStayInOnePiece() {
        var specs = List.of(
                spec("embedding", 300, 7),
                spec("layers.a", 13, 11),
                spec("norm", 11),
                spec("layers.b", 40, 11),
                spec("layers.c", 11, 11),
                spec("head", 64, 7));
        for (int ranks : new int[] {2, 3, 5, 8}) {
            for (long closing : new long[] {1, 500, 100_000}) {
                List<BucketLayout> buckets =
                        layouts(specs, closing, ranks, MATRICES_OF_BLOCKS).buckets();
                var seen = new ArrayList<Integer>();
                for (BucketLayout bucket : buckets) {
                    assertEquals(
                            bucket.elements(),
                            IntStream.range(0, ranks)
                                    .mapToLong(bucket::sliceElements)
                                    .sum());
                    for (BucketLayout.Place place : bucket.places()) {
                        seen.add(place.parameter());
                        long found = 0;
                        for (int rank = 0; rank < ranks; rank++) {
                            var run = bucket.run(place, rank);
                            if (run.isPresent()) {
                                assertEquals(found, run.get().firstOfParameter());
                                found += run.get().elements();
                                boolean isWhole =
                                        MATRICES_OF_BLOCKS.apply(specs.get(place.parameter())) == Ownership.TENSOR;
                                assertTrue(
                                        !isWhole || found == place.elements(),
                                        "cut: " + specs.get(place.parameter()).name());
                            }
                        }
                        assertEquals(place.elements(), found);
                    }
                }
                assertEquals(List.of(0, 1, 2, 3, 4, 5), seen.stream().sorted().toList());
            }
        }
    }

    @Test
    void runsOfBlocksBeginWithABlock() {
        var specs = List.of(
                spec("norm", 11),
                spec("layers.a", 3, 256),
                spec("bias", 300),
                spec("layers.b", 5, 512),
                spec("layers.c", 256));
        for (int ranks : new int[] {2, 3, 4}) {
            List<BucketLayout> buckets = layouts(
                            specs, 100_000, ranks, spec -> spec.isMatrix() ? Ownership.BLOCKS : Ownership.ELEMENTS)
                    .buckets();
            for (BucketLayout bucket : buckets) {
                assertEquals(0, bucket.sliceElements(0) % Ownership.BLOCK_ELEMENTS);
                assertEquals(bucket.sliceElements(0), bucket.sliceElements(ranks - 1));
                for (BucketLayout.Place place : bucket.places()) {
                    for (int rank = 0; rank < ranks; rank++) {
                        bucket.run(place, rank)
                                .ifPresent(run -> assertEquals(0, run.firstOfParameter() % Ownership.BLOCK_ELEMENTS));
                    }
                }
            }
            assertEquals(elements(specs), LongStream.of(owned(buckets, ranks)).sum());
        }
    }

    @Test
    void singleRankAndOptimizersByElementKeepEqualSlices() {
        var specs = List.of(spec("layers.a", 13, 11), spec("layers.b", 40, 11));
        List<Long> elements = List.of(143L, 440L);
        assertEquals(
                packed(elements, 1), layouts(specs, 1, 1, MATRICES_OF_BLOCKS).buckets());
        assertEquals(
                packed(elements, 4),
                layouts(specs, 1, 4, spec -> Ownership.ELEMENTS).buckets());
    }

    private static List<BucketLayout> packed(List<Long> elements, int ranks) {
        return Stream.of(1, 0)
                .map(parameter -> BucketLayout.packed(List.of(parameter), elements, ranks, 1))
                .toList();
    }

    private static Layouts layouts(
            List<ParameterSpec> specs, long closing, int ranks, Function<ParameterSpec, Ownership> ownership) {
        List<Long> elements =
                specs.stream().map(spec -> spec.shape().elements()).toList();
        return Layouts.of(specs, BucketLayout.groups(elements, closing), false, ranks, ownership);
    }

    private static long[] owned(List<BucketLayout> buckets, int ranks) {
        var owned = new long[ranks];
        for (BucketLayout bucket : buckets) {
            for (BucketLayout.Place place : bucket.places()) {
                for (int rank = 0; rank < ranks; rank++) {
                    owned[rank] += bucket.run(place, rank)
                            .map(BucketLayout.Run::elements)
                            .orElse(0L);
                }
            }
        }
        return owned;
    }

    private static long elements(List<ParameterSpec> specs) {
        return specs.stream().mapToLong(spec -> spec.shape().elements()).sum();
    }

    /** As on one tensor rank: Q, K and V are one parameter, and gate and up are. */
    private static List<ParameterSpec> llama(int layers, long hidden, long intermediate, long keys) {
        var specs = new ArrayList<ParameterSpec>();
        specs.add(spec("embedding", 128_256, hidden));
        for (int layer = 0; layer < layers; layer++) {
            String name = "layers." + layer;
            specs.add(spec(name + ".norm.1", hidden));
            specs.add(spec(name + ".qkv", hidden + 2 * keys, hidden));
            specs.add(spec(name + ".o", hidden, hidden));
            specs.add(spec(name + ".norm.2", hidden));
            specs.add(spec(name + ".gate_up", 2 * intermediate, hidden));
            specs.add(spec(name + ".down", hidden, intermediate));
        }
        specs.add(spec("norm", hidden));
        specs.add(spec("head", 128_256, hidden));
        return specs;
    }

    private static ParameterSpec spec(String name, long... dims) {
        return new ParameterSpec(name, List.of(ParameterPart.whole(name, Shape.of(dims))), Initialization.ONES);
    }
}
