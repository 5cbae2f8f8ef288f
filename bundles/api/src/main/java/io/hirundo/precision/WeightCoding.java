package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Quantized all-gather of a weight whose elements are sharded over ranks in runs. Ranks all-reduce their block amaxes, quantize
 * their runs with the global amaxes, and send quantized values. The prepared weight is bitwise equal to {@link
 * LinearMath#prepare} on the unsharded weight. Confined to the thread of its {@link LinearMath}.
 */
@ConsumerType
public interface WeightCoding {
    /** Dtype of the quantized values, one per element. */
    DType codeType();

    /** Shape of the amaxes, which are FP32. */
    Shape magnitudes();

    /**
     * Raises amaxes to those of a run. They start at 0; ranks combine theirs with MAX.
     *
     * @param run consecutive elements of the row-major weight
     * @param firstElement offset of the run in the weight
     */
    void measure(Queue queue, Tensor run, long firstElement, Tensor magnitudes);

    /** Quantizes a run with the global amaxes. */
    void encode(Queue queue, Tensor run, long firstElement, Tensor magnitudes, Tensor codes);

    /**
     * Like {@link LinearMath#prepare}.
     *
     * @param reuse a result of this method or of {@link LinearMath#prepare}, to overwrite; or null
     * @return does not refer to {@code weight}
     */
    PreparedWeight prepare(Queue queue, CodedWeight weight, PreparedWeight reuse);
}
