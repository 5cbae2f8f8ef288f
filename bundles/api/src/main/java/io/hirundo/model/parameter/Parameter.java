package io.hirundo.model.parameter;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A parameter of a running model, or a run of its elements. The data-parallel strategy owns its tensors and may move them: do not
 * cache them.
 */
@ConsumerType
public interface Parameter {
    /** The whole parameter as this rank holds it. */
    ParameterSpec spec();

    /**
     * Offset of the tensors, in elements of the row-major parameter. Non-zero only for runs, which are vectors regardless of the
     * parameter's shape.
     */
    default long firstElement() {
        return 0;
    }

    /**
     * The weight. What a rank owns is in the precision strategy's parameter dtype; a weight that layers read may be narrower, see {@link
     * io.hirundo.parallel.ShardedParameters#hold}.
     */
    Tensor value();

    /** The gradient, accumulated over the microbatches of a step. The trainer zeroes it. */
    Tensor gradient();

    /**
     * The dtype of the gradients that update weights: that of the weights, but FP32 for BF16 weights, because sums in BF16 lose small summands.
     *
     * @param parameterType of {@link io.hirundo.precision.PrecisionStrategy#parameterType}
     */
    static DType updateType(DType parameterType) {
        return parameterType == DType.BF16 ? DType.FP32 : parameterType;
    }
}
