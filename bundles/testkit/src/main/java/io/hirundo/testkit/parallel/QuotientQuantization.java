package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Queue;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.scalar.value.HostValues;
import java.util.HashMap;
import java.util.Map;

/** Quantizes a weight to BF16 quotients of its elements and the amax of the complete weight, on the host. */
record QuotientQuantization(Bench bench) implements WeightCoding {
    /** For the matrices that are not also an embedding, because that is read without a GEMM. */
    static Map<String, WeightCoding> ofMatrices(Bench bench) {
        var codings = new HashMap<String, WeightCoding>();
        FixtureBlocks.PARAMETERS.stream()
                .filter(spec -> spec.isMatrix() && !spec.name().contains("embed"))
                .forEach(spec -> codings.put(spec.name(), new QuotientQuantization(bench)));
        return codings;
    }

    @Override
    public DType codeType() {
        return DType.BF16;
    }

    @Override
    public Shape magnitudes() {
        return Shape.of(1);
    }

    @Override
    public void measure(Queue queue, Tensor run, long firstElement, Tensor magnitudes) {
        double amax = bench.read(magnitudes)[0];
        for (double value : bench.read(run)) {
            amax = Math.max(amax, Math.abs(value));
        }
        double largest = amax;
        bench.write(magnitudes, i -> largest);
    }

    @Override
    public void encode(Queue queue, Tensor run, long firstElement, Tensor magnitudes, Tensor codes) {
        double amax = bench.read(magnitudes)[0];
        double[] values = bench.read(run);
        bench.write(codes, i -> quantized(values[(int) i], amax));
    }

    private static double quantized(double value, double amax) {
        return HostValues.rounded(DType.BF16, value / amax);
    }

    @Override
    public PreparedWeight prepare(Queue queue, CodedWeight weight, PreparedWeight reuse) {
        throw new AssertionError("a data-parallel strategy does not prepare weights");
    }

    /** Fails unless the quantized values are those of the complete weight after a step. */
    static void require(Bench bench, ParameterSpec spec, CodedWeight weight, int step, DType weightType) {
        var values = new double[(int) spec.shape().elements()];
        double amax = 0;
        for (int i = 0; i < values.length; i++) {
            values[i] = HostValues.rounded(
                    weightType, FixtureBlocks.weights(spec.name(), step).applyAsDouble(i));
            amax = Math.max(amax, Math.abs(values[i]));
        }
        assertEquals(amax, bench.read(weight.magnitudes())[0], () -> "amax of " + spec.name());
        long next = 0;
        for (CodedWeight.Run run : weight.runs()) {
            assertEquals(next, run.firstElement(), () -> "first element of a quantized run of " + spec.name());
            double[] codes = bench.read(run.codes());
            for (int i = 0; i < codes.length; i++) {
                long element = next + i;
                assertEquals(
                        quantized(values[(int) element], amax),
                        codes[i],
                        () -> "quantized element " + element + " of " + spec.name());
            }
            next += codes.length;
        }
        assertEquals(values.length, next, () -> "quantized elements of " + spec.name());
    }
}
