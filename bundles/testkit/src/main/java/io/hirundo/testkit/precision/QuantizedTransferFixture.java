package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.CodedWeight.Run;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Guarded;
import java.util.ArrayList;
import java.util.List;

/** One linear layer with a quantized weight or packed operands, and the same layer with plain ones. */
final class QuantizedTransferFixture implements AutoCloseable {
    private static final int TOKENS = 9;
    private static final int PIECES = 2;

    private final Bench bench;
    private final PrecisionOffer offer;
    private final LinearShape shape;
    private final LinearFixture fixture;

    QuantizedTransferFixture(Bench bench, PrecisionOffer offer, LinearShape shape) {
        this.bench = bench;
        this.offer = offer;
        this.shape = shape;
        this.fixture = LinearFixture.unchecked(bench, offer, shape);
    }

    LinearMath math() {
        return fixture.math;
    }

    Guarded prepare(int seed) {
        return fixture.prepare(seed);
    }

    PreparedWeight prepared() {
        return fixture.prepared();
    }

    /** x or dy. */
    Guarded operand(Operand operand, int tokens) {
        return operand == Operand.INPUT ? fixture.input(tokens) : fixture.outputGradient(tokens);
    }

    double[] forward(PreparedWeight weight) {
        Tensor y = result(TOKENS, shape.outputs());
        math().forward(bench.queue(), fixture.input(TOKENS).tensor(), weight, y);
        return bench.read(y);
    }

    double[] inputGradient(PreparedWeight weight) {
        Tensor dx = result(TOKENS, shape.inputs());
        math().inputGradient(bench.queue(), fixture.outputGradient(TOKENS).tensor(), weight, dx);
        return bench.read(dx);
    }

    private Tensor result(long rows, long columns) {
        return bench.tensor(offer.strategy().activationType(), i -> Double.NaN, rows, columns);
    }

    /** Prepares from two ranks with a run each, the second one larger; from one if there are too few elements. The caller owns it. */
    PreparedWeight prepareCoded(Guarded w, PreparedWeight reuse) {
        WeightCoding coding = math().coding().orElseThrow();
        var elementwise = bench.device().kernels().elementwise();
        long elements = w.tensor().elements();
        long[] cuts = {0, elements / 3, elements};
        Tensor all = bench.tensor(DType.FP32, i -> 0, dims(coding.magnitudes()));
        for (int rank = cuts[1] == 0 ? 1 : 0; rank < PIECES; rank++) {
            Tensor own = bench.tensor(DType.FP32, i -> 0, dims(coding.magnitudes()));
            coding.measure(bench.queue(), run(w, cuts[rank], cuts[rank + 1]), cuts[rank], own);
            elementwise.maximum(bench.queue(), own, all);
        }
        List<Run> runs = new ArrayList<>();
        for (int rank = cuts[1] == 0 ? 1 : 0; rank < PIECES; rank++) {
            Tensor codes = bench.tensor(coding.codeType(), cuts[rank + 1] - cuts[rank]);
            coding.encode(bench.queue(), run(w, cuts[rank], cuts[rank + 1]), cuts[rank], all, codes);
            runs.add(new Run(cuts[rank], codes));
        }
        return coding.prepare(bench.queue(), new CodedWeight(all, runs), reuse);
    }

    private static long[] dims(Shape shape) {
        return shape.dims().stream().mapToLong(Long::longValue).toArray();
    }

    private static Tensor run(Guarded w, long first, long end) {
        return w.tensor().view(first, Shape.of(end - first));
    }

    /** Compares the GEMM of an operand in packed pieces with that of its values, if it can be packed. */
    void requirePackedAsValues(Operand operand, Contraction over, int rows) {
        PackedProducts packed = math().packed().orElseThrow();
        if (!packed.packs(operand, over, rows)) {
            return;
        }
        Guarded x = operand(operand, PIECES * rows);
        try (PackedOperand pieces = packed.allocate(operand, over, rows, PIECES)) {
            for (int piece = 0; piece < PIECES; piece++) {
                packed.pack(
                        bench.queue(), operand, over, x.tensor().rows((long) piece * rows, rows), pieces.piece(piece));
            }
            x.requireUntouched();
            String what = operand + " over " + over + " in pieces of " + rows + " rows, " + shape;
            double[] expected = ofValues(operand, over, x.tensor());
            assertArrayEquals(Layers.bits(expected), Layers.bits(ofPieces(packed, operand, over, pieces, rows)), what);
            if (over == Contraction.TOKENS && operand == Operand.INPUT) {
                assertArrayEquals(
                        Layers.bits(expected),
                        Layers.bits(withInputGradient(pieces, PIECES * rows)),
                        what + ", together with dx");
            }
        }
    }

    private double[] withInputGradient(PackedOperand x, int tokens) {
        Tensor dw = empty(Operand.INPUT, Contraction.TOKENS, tokens);
        Tensor dy = fixture.outputGradient(tokens).tensor();
        try (GradientPair gradients = math().gradients(bench.queue(), dy, prepared(), dw)) {
            gradients.input(result(tokens, shape.inputs()));
            gradients.weight(x);
        }
        return bench.read(dw);
    }

    private double[] ofValues(Operand operand, Contraction over, Tensor x) {
        int tokens = Math.toIntExact(x.shape().dim(0));
        Tensor result = empty(operand, over, tokens);
        if (over == Contraction.TOKENS && operand == Operand.INPUT) {
            math().weightGradient(bench.queue(), fixture.outputGradient(tokens).tensor(), x, result);
        } else if (over == Contraction.TOKENS) {
            math().weightGradient(bench.queue(), x, fixture.input(tokens).tensor(), result);
        } else if (operand == Operand.INPUT) {
            math().forward(bench.queue(), x, prepared(), result);
        } else {
            math().inputGradient(bench.queue(), x, prepared(), result);
        }
        return bench.read(result);
    }

    private double[] ofPieces(
            PackedProducts packed, Operand operand, Contraction over, PackedOperand pieces, int rows) {
        int tokens = PIECES * rows;
        Tensor result = empty(operand, over, tokens);
        if (over == Contraction.TOKENS && operand == Operand.INPUT) {
            packed.weightGradient(bench.queue(), fixture.outputGradient(tokens).tensor(), pieces, result);
        } else if (over == Contraction.TOKENS) {
            packed.weightGradient(bench.queue(), pieces, fixture.input(tokens).tensor(), result);
        } else if (operand == Operand.INPUT) {
            packed.forward(bench.queue(), pieces, prepared(), result);
        } else {
            packed.inputGradient(bench.queue(), pieces, prepared(), result);
        }
        return bench.read(result);
    }

    /** Weight gradients accumulate into existing values. */
    private Tensor empty(Operand operand, Contraction over, int tokens) {
        return over == Contraction.TOKENS
                ? bench.tensor(offer.strategy().parameterType(), i -> i % 7, shape.outputs(), shape.inputs())
                : result(tokens, operand == Operand.INPUT ? shape.outputs() : shape.inputs());
    }

    @Override
    public void close() {
        fixture.close();
    }
}
