package io.hirundo.testkit.precision;

import io.hirundo.lib.oracle.gemm.DeviceRows;
import io.hirundo.lib.oracle.gemm.OperandError;
import io.hirundo.lib.oracle.gemm.Projection;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Guarded;
import java.util.ArrayList;
import java.util.List;

/**
 * An operand of a GEMM of a layer, compared with what it was rounded from.
 *
 * @param from shape of the original
 * @param type that holds the multiplied values
 */
record RoundedOperand(LinearProduct product, Operand operand, Shape from, DType type, OperandError error) {
    /** The more elements, the smaller the factor that rounding does not explain. */
    private static final int TOKENS = 65;

    /** Nearest rounding changes an element by at most the unit roundoff, stochastic rounding by twice as much. */
    private static final double MOST_ROUNDOFFS = 2;

    /** Nearest rounding of normally distributed elements has an error of about 0.4 unit roundoffs. */
    private static final double FEWEST_ROUNDOFFS = 0.125;

    /** Those of the three GEMMs of a layer. */
    static List<RoundedOperand> of(PrecisionOffer offer, Bench bench, LinearShape shape) {
        var operands = new ArrayList<RoundedOperand>();
        try (var fixture = LinearFixture.unchecked(bench, offer, shape)) {
            Guarded w = fixture.prepare(1);
            for (LinearProduct product : LinearProduct.values()) {
                for (Operand operand : List.of(product.left(), product.right())) {
                    Tensor from = switch (operand) {
                        case INPUT -> fixture.input(TOKENS).tensor();
                        case WEIGHT -> w.tensor();
                        case OUTPUT_GRADIENT -> fixture.outputGradient(TOKENS).tensor();
                    };
                    operands.add(of(bench, fixture, product, operand, from));
                }
            }
        }
        return operands;
    }

    private static RoundedOperand of(
            Bench bench, LinearFixture fixture, LinearProduct product, Operand operand, Tensor from) {
        try (MultipliedOperand multiplied = fixture.multiplied(product, operand, from, from, from);
                var original = new DeviceRows(bench.device(), bench.queue(), from);
                var values = DeviceRows.of(bench.device(), bench.queue(), multiplied)) {
            boolean transposed = multiplied.contractedLast() != product.contractsLast(operand);
            return new RoundedOperand(
                    product,
                    operand,
                    from.shape(),
                    multiplied.values().dtype(),
                    OperandError.of(original, values, transposed));
        }
    }

    /** Requires that it is as large as before. */
    void requireSize() {
        Projection projection = error.projection();
        // Values of a coarse type may be stored in a finer one, E4M3 in FP32 for instance: of normally distributed
        // elements, rounded to nearest, the projection is off by the square of the error, with a standard deviation of
        // sqrt(3 / n) times the error.
        double coarse = error.relative() * (error.relative() + Projection.ALLOWED * Math.sqrt(3.0 / from.elements()));
        if (projection.share() > 1 && !(Math.abs(projection.factor() - 1) <= coarse)) {
            throw new AssertionError(this + " is " + projection.factor()
                    + " times as large as before; rounding explains " + projection.lowest() + " to "
                    + projection.highest());
        }
    }

    /** Whether it is of no coarser type, and rounding to this one explains its error. */
    boolean isExplainedBy(DType coarsest) {
        double u = OperandError.largest(coarsest);
        return OperandError.largest(type) <= u && error.relative() <= MOST_ROUNDOFFS * u;
    }

    /** Whether its error is that of rounding to a type, whichever holds the values. */
    boolean isRoundedTo(DType rounded) {
        double u = OperandError.largest(rounded);
        return error.relative() >= FEWEST_ROUNDOFFS * u && error.relative() <= MOST_ROUNDOFFS * u;
    }

    /** Whether both are the same operand of the same GEMM, of layers of different shapes. */
    boolean isSameOperand(RoundedOperand other) {
        return other.product == product && other.operand == operand;
    }

    @Override
    public String toString() {
        return operand + " " + from + " of " + product + " (" + type + ", rounded by " + (float) error.relative() + ")";
    }
}
