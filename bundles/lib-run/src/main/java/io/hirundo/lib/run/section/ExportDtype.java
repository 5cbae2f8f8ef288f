package io.hirundo.lib.run.section;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;

/** Data type of the weights in an exported model. */
public enum ExportDtype {
    /** BF16 if the precision computes with BF16 activations, otherwise that of the parameters. */
    AUTO,
    /** Exact for parameters in FP32 and BF16. */
    FP32,
    /** Parameters in FP32 are rounded to nearest even. */
    BF16;

    /** The type for a run of this precision. */
    public DType of(PrecisionStrategy precision) {
        return switch (this) {
            case FP32 -> DType.FP32;
            case BF16 -> DType.BF16;
            case AUTO -> precision.activationType() == DType.BF16 ? DType.BF16 : precision.parameterType();
        };
    }
}
