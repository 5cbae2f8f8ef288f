package io.hirundo.testkit.precision;

import io.hirundo.precision.LinearShape;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Guarded;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Helpers for clauses about layers. */
final class Layers {
    private Layers() {}

    /** Shapes that the test offers and the strategy supports. */
    static List<LinearShape> supported(PrecisionOffer offer, Bench bench) {
        var device = bench.device().info();
        return offer.shapes().stream()
                .filter(shape -> offer.strategy().supports(device, shape).supported())
                .toList();
    }

    /** Runs the check with each supported layer, whose operands are guarded. */
    static void forEach(PrecisionOffer offer, Bench bench, Consumer<LinearFixture> check) {
        for (LinearShape shape : supported(offer, bench)) {
            try (var fixture = LinearFixture.checked(bench, offer, shape)) {
                check.accept(fixture);
            }
        }
    }

    /** Results of the three GEMMs of one layer, for 33 tokens. */
    static List<double[]> gemms(PrecisionOffer offer, Bench bench, LinearShape shape) {
        try (var fixture = LinearFixture.unchecked(bench, offer, shape)) {
            Guarded w = fixture.prepare(1);
            return List.of(fixture.forward(w, 33), fixture.inputGradient(w, 33), fixture.weightGradient(33));
        }
    }

    static long[] bits(double[] values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }
}
