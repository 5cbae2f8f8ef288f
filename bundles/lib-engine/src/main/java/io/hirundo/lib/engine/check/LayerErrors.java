package io.hirundo.lib.engine.check;

import io.hirundo.lib.oracle.gemm.GemmError;
import io.hirundo.lib.oracle.gemm.Projection;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.Operand;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The measured errors of a layer's GEMMs.
 *
 * @param layer name of the weight
 * @param gemms errors of each kind of GEMM that ran
 * @param unchecked whether the strategy did not expose the operands of some GEMMs
 * @param failure what the strategy threw, and where; empty if there was none, otherwise the errors cover the GEMMs before it
 */
public record LayerErrors(String layer, Map<LinearProduct, GemmErrors> gemms, boolean unchecked, String failure) {
    /**
     * The largest errors of one kind of GEMM over all calls.
     *
     * @param arithmetic arithmetic error for the multiplied (quantized) operands
     * @param rounding quantization error of the operands
     */
    public record GemmErrors(GemmError arithmetic, Quantization rounding) {
        GemmErrors worse(GemmErrors other) {
            return new GemmErrors(arithmetic.worse(other.arithmetic), rounding.worse(other.rounding));
        }

        /** Adds the quantization error of the GEMM's other operand, which is the same in all calls. */
        GemmErrors withOperand(GemmErrors other) {
            return new GemmErrors(arithmetic.worse(other.arithmetic), rounding.with(other.rounding));
        }
    }

    /**
     * The relative error of a GEMM caused by quantization of its operands, in the Frobenius norm: the root of the sum of both operands'
     * squared errors.
     *
     * @param error the measured error
     * @param largest upper bound by the operands' dtypes ({@code OperandError.largest})
     * @param scaling the operand whose size is furthest from what rounding explains
     */
    public record Quantization(double error, double largest, Scaling scaling) {
        public static final Quantization NONE = new Quantization(0, 0, new Scaling(Operand.INPUT, Projection.NONE));

        public Quantization with(Quantization other) {
            return new Quantization(
                    Math.hypot(error, other.error), Math.hypot(largest, other.largest), scaling.worse(other.scaling));
        }

        /** The one with the larger fraction of its bound, and the worse scaling of both. */
        Quantization worse(Quantization other) {
            Quantization larger = Double.compare(other.share(), share()) > 0 ? other : this;
            return new Quantization(larger.error, larger.largest, scaling.worse(other.scaling));
        }

        private double share() {
            return error == 0 ? 0 : error / largest;
        }
    }

    /** How large an operand is, as a part of what it was quantized from. */
    public record Scaling(Operand operand, Projection projection) {
        Scaling worse(Scaling other) {
            return Double.compare(other.projection.share(), projection.share()) > 0 ? other : this;
        }
    }

    public LayerErrors {
        // In the order of the GEMMs, so that of two equal errors the same one is reported in every run.
        gemms = Collections.unmodifiableMap(new TreeMap<>(gemms));
    }
}
