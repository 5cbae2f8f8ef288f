package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Clauses on a bound linear layer as an object: its threads, memory, lifetime, and what it rejects. */
public interface LayerClauses extends PrecisionOffer {
    @Clause(
            value = "The strategy serves several ranks of a process at the same time",
            remedy = "state that layers share: scratch memory belongs to the result of bind()")
    default void servesManyThreads(Bench bench) {
        List<LinearShape> shapes = Layers.supported(this, bench);
        var alone =
                shapes.stream().map(shape -> Layers.gemms(this, bench, shape)).toList();
        var running = IntStream.range(0, 4)
                .mapToObj(thread -> CompletableFuture.runAsync(
                        () -> {
                            try (Bench own = Bench.open(backend())) {
                                for (int i = 0; i < 2 * shapes.size(); i++) {
                                    int at = (i + thread) % shapes.size();
                                    List<double[]> results = Layers.gemms(this, own, shapes.get(at));
                                    for (int each = 0; each < results.size(); each++) {
                                        assertArrayEquals(
                                                Layers.bits(alone.get(at).get(each)),
                                                Layers.bits(results.get(each)),
                                                "product " + each);
                                    }
                                }
                            }
                        },
                        task -> Thread.ofPlatform().daemon().start(task)))
                .toArray(CompletableFuture<?>[]::new);
        // Waits also if one has failed, so that none disturbs the next clause.
        CompletableFuture.allOf(running).join();
    }

    @Clause(
            value = "Memory does not grow from step to step, and all of it is released",
            remedy =
                    "tensors that prepare(), gradients() or a GEMM allocates each time, and those that the close() methods do not close")
    default void memoryStaysTheSame(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            var held = new ArrayList<Map<MemoryCategory, Long>>();
            try (var fixture = LinearFixture.unchecked(bench, this, shape)) {
                for (int step = 1; step <= 3; step++) {
                    Guarded w = fixture.prepare(1);
                    fixture.forward(w, 8);
                    fixture.inputGradient(w, 8);
                    fixture.weightGradient(8);
                    fixture.gradients(8, true);
                    fixture.abandonGradients(8);
                    held.add(bench.heldByOthers());
                }
            }
            assertEquals(held.get(0), held.get(1), "bytes held after the second step of " + shape);
            assertEquals(held.get(1), held.get(2), "bytes held after the third step of " + shape);
            assertEquals(Map.of(), bench.heldByOthers(), "bytes held after " + shape + " was closed");
        }
    }

    @Clause(
            value = "A weight of another shape or dtype is rejected with the name of the layer",
            remedy = "prepare(): throw an IllegalArgumentException that names LinearShape.name()")
    default void rejectsOtherWeights(Bench bench) {
        LinearShape shape = Layers.supported(this, bench).getLast();
        DType type = strategy().parameterType();
        try (LinearMath math = strategy().bind(bench.device(), shape)) {
            DType another = type == DType.FP32 ? DType.FP64 : DType.FP32;
            for (Tensor weight : List.of(
                    bench.tensor(type, i -> 1, shape.inputs() + 1, shape.outputs()),
                    bench.tensor(another, i -> 1, shape.outputs(), shape.inputs()))) {
                var rejected = assertThrows(
                        IllegalArgumentException.class,
                        () -> math.prepare(bench.queue(), weight, null),
                        "accepted a weight " + weight.dtype() + " " + weight.shape() + " of a layer " + shape);
                assertTrue(
                        rejected.getMessage().contains(shape.name()),
                        "the message does not name the layer: " + rejected.getMessage());
            }
        }
    }

    @Clause(
            value =
                    "A weight in the dtype that training passes gives the same bits as its values in the parameter dtype, in turn",
            remedy =
                    "prepare(): accept LinearMath.weightType() and PrecisionStrategy.parameterType(), also with the other's result as reuse")
    default void preparesWeightsOfBothTypes(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (LinearMath math = strategy().bind(bench.device(), shape)) {
                DType parameters = strategy().parameterType();
                var x = bench.tensor(strategy().activationType(), i -> (i % 11 - 5) / 8.0, 5, shape.inputs());
                var y = bench.tensor(strategy().activationType(), 5, shape.outputs());
                PreparedWeight prepared = null;
                double[] first = null;
                for (DType type : List.of(parameters, math.weightType().orElse(parameters), parameters)) {
                    // Few bits, so that both dtypes hold the same values.
                    var weight = bench.tensor(type, i -> (i % 7 - 3) / 4.0, shape.outputs(), shape.inputs());
                    prepared = math.prepare(bench.queue(), weight, prepared);
                    math.forward(bench.queue(), x, prepared, y);
                    bench.queue().drain();
                    double[] found = bench.read(y);
                    first = first == null ? found : first;
                    assertArrayEquals(first, found, "y = x w^T of a layer " + shape + " with a weight in " + type);
                }
                prepared.close();
            }
        }
    }

    @Clause(
            value = "A weight that another strategy prepared is rejected",
            remedy =
                    "forward() and inputGradient(): an IllegalArgumentException for a PreparedWeight that is not the strategy's own")
    default void rejectsForeignWeights(Bench bench) {
        Layers.forEach(this, bench, fixture -> {
            var x = fixture.input(5).tensor();
            var y = fixture.output(5).tensor();
            assertThrows(IllegalArgumentException.class, () -> fixture.math.forward(bench.queue(), x, () -> {}, y));
            assertThrows(
                    IllegalArgumentException.class, () -> fixture.math.inputGradient(bench.queue(), y, () -> {}, x));
        });
    }

    @Clause(
            value = "An unsupported shape is rejected with the reason, never computed in another way",
            remedy =
                    "supports(): Support.no(reason) for it, also for a layer without elements; and shapes() of the test")
    default void saysWhatItDoesNotServe(Bench bench) {
        var info = bench.device().info();
        assertFalse(
                Layers.supported(this, bench).isEmpty(),
                "none of the shapes of shapes() is supported on " + info.name());
        var rejected = new ArrayList<>(List.of(new LinearShape("none", 0, 5), new LinearShape("none", 5, 0)));
        rejected.forEach(shape -> assertFalse(strategy().supports(info, shape).supported(), "supports " + shape));
        rejected.addAll(shapes());
        for (LinearShape shape : rejected) {
            var support = strategy().supports(info, shape);
            assertTrue(support.supported() || !support.reason().isBlank(), "no reason for " + shape);
        }
    }

    @Clause(
            value = "close() is idempotent; later use is an error and reads no released memory",
            remedy = "a second close() must do nothing; afterwards prepare() and the GEMMs throw IllegalStateException")
    default void closedIsClosed(Bench bench) {
        LinearShape shape = Layers.supported(this, bench).getLast();
        var fixture = LinearFixture.unchecked(bench, this, shape);
        fixture.prepare(1);
        var x = fixture.input(5).tensor();
        var y = fixture.output(5).tensor();
        var dw =
                bench.tensor(Parameter.updateType(strategy().parameterType()), i -> 0, shape.outputs(), shape.inputs());
        var queue = bench.queue();
        fixture.close();
        fixture.math.close();
        assertThrows(IllegalStateException.class, () -> fixture.math.prepare(queue, dw, null));
        assertThrows(IllegalStateException.class, () -> fixture.math.forward(queue, x, fixture.prepared(), y));
        assertThrows(IllegalStateException.class, () -> fixture.math.inputGradient(queue, y, fixture.prepared(), x));
        assertThrows(IllegalStateException.class, () -> fixture.math.weightGradient(queue, y, x, dw));
    }
}
