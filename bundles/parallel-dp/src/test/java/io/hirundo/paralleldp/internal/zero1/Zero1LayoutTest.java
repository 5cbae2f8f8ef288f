package io.hirundo.paralleldp.internal.zero1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.Wire;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where parameters lie, and what memory that takes. */
class Zero1LayoutTest {
    @Test
    void runsHaveTheOrderOfDeclarationAndTheirOffsets() throws Exception {
        List<List<String>> owned = ThreadRanks.run(2, new Wire(2), rank -> {
            try (ShardedParameters parameters = Zero1Test.bind(rank, new Zero1Options())) {
                assertEquals(
                        List.of("embedding", "norm.0", "up.0", "down.0", "norm.1", "up.1", "down.1", "norm"),
                        parameters.parameters().stream()
                                .map(each -> each.spec().name())
                                .toList());
                assertEquals(
                        Shape.of(31, 12),
                        Model.named(parameters, "up.1").value().shape());
                return parameters.owned().stream()
                        .map(run -> run.spec().name() + " " + run.firstElement() + " "
                                + run.value().shape())
                        .toList();
            }
        });
        // In the bucket of 2048 elements lie norm, down.1, up.1, norm.1 (768) and down.0, through which the border
        // goes.
        assertEquals(
                List.of(
                        List.of("down.0 0 [256]", "norm.1 0 [12]", "up.1 0 [372]", "down.1 0 [372]", "norm 0 [12]"),
                        List.of("embedding 0 [444]", "norm.0 0 [12]", "up.0 0 [372]", "down.0 256 [116]")),
                owned);
    }

    @Test
    void memoryIsParametersAndPadding() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            try (ShardedParameters parameters =
                    Zero1Test.bind(rank, new Zero1Options(1, true, true, true, false, "fp32", true))) {
                // A bucket for each parameter.
                long elements = Model.BLOCKS.stream()
                        .flatMap(List::stream)
                        .distinct()
                        .mapToLong(spec -> padded(spec.shape().elements()))
                        .sum();
                long bytes = elements * 8;
                assertEquals(bytes, rank.books().live(MemoryCategory.WEIGHTS));
                assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
                assertThrows(
                        IllegalStateException.class,
                        () -> parameters.parameters().getFirst().gradient());
                parameters.allocateGradients();
                Model.step(parameters, rank, 0);
                assertEquals(bytes, rank.books().peak(MemoryCategory.WEIGHTS));
                assertEquals(bytes, rank.books().peak(MemoryCategory.GRADIENTS));
                assertEquals(0, rank.books().peak(MemoryCategory.COMMUNICATION));
            }
            assertEquals(0, rank.books().live(MemoryCategory.WEIGHTS));
            assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
            return null;
        });
    }

    private static long padded(long elements) {
        return Math.ceilDiv(elements, 128) * 128;
    }

    /** Before that, activations of the forward may have their memory, and after the update an evaluation. */
    @Test
    void lateGradientsAreAllocatedWhenAStepFirstUsesThem() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            try (ShardedParameters parameters =
                    Zero1Test.bind(rank, new Zero1Options(1, true, true, true, false, "fp32", true))) {
                parameters.allocateGradients();
                Model.step(parameters, rank, 0);
                parameters.weightsChanged(rank.queue());
                assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
                parameters.zeroGradients(rank.queue());
                var gradient = (CpuTensor) Model.named(parameters, "up.1").gradient();
                assertEquals(8 * padded(31 * 12), rank.books().live(MemoryCategory.GRADIENTS));
                for (int i = 0; i < gradient.elements(); i++) {
                    assertEquals(0, gradient.getDouble(i));
                }
                // The next microbatch reads weights of another dtype.
                parameters.hold(Map.of("up.1", DType.BF16));
                parameters.before(rank.queue(), 1, Action.Kind.FORWARD);
                assertEquals(8 * padded(31 * 12), rank.books().live(MemoryCategory.GRADIENTS));
            }
            return null;
        });
    }

    @Test
    void optimizerStateFallsWithTheRanks() throws Exception {
        for (int ranks : new int[] {1, 2, 4}) {
            long expected = 2L * Model.ELEMENTS;
            List<Long> moments = ThreadRanks.run(ranks, new Wire(ranks), rank -> {
                try (ShardedParameters parameters = Zero1Test.bind(rank, new Zero1Options(1, true, true, true))) {
                    return 2
                            * parameters.owned().stream()
                                    .mapToLong(run -> run.value().elements())
                                    .sum();
                }
            });
            assertEquals(expected, moments.stream().mapToLong(Long::longValue).sum());
            long most = moments.stream().mapToLong(Long::longValue).max().orElseThrow();
            // A slice is up to its bucket's padding longer than its share.
            assertTrue(most <= expected / ranks + 2L * 8 * 128, ranks + " ranks: " + most);
        }
    }

    @Test
    void paddingIsZero() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            var layout = BucketLayout.packed(List.of(0), List.of(100L), 1, 1);
            try (var bucket = new Bucket(rank.device(), rank.group(), layout, DType.FP64, DType.FP64, false)) {
                bucket.allocateGradients(rank.queue());
                for (var buffer : List.of(bucket.weights().masters(), bucket.gradients("embed"))) {
                    for (int i = 100; i < 128; i++) {
                        assertEquals(0, ((CpuTensor) buffer).getDouble(i));
                    }
                }
            }
            return null;
        });
    }

    @Test
    void rejectsOneNameForTwoShapes() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            var blocks = List.of(List.of(Model.spec("a", 3)), List.of(Model.spec("a", 4)));
            var error = assertThrows(
                    IllegalArgumentException.class,
                    () -> new Zero1(new Zero1Options()).bind(rank.device(), rank.group(), blocks, DType.FP32));
            assertTrue(error.getMessage().contains("parameter a"), error.getMessage());
            return null;
        });
    }
}
