package io.hirundo.kernel.scaled;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Quantizes an FP32 matrix whose elements are sharded over ranks in runs. The result is bitwise equal to {@link
 * BlockScaledKernels} on the unsharded matrix with {@link ScaleBlock#SQUARE}. Block amaxes are FP32, in the layout of the inverse
 * scales. A maximum does not depend on order, so ranks can all-reduce the amaxes before they quantize.
 */
@ConsumerType
public interface PieceScaledKernels {
    /** {@code amax = max(amax, |x|)} for every block with elements in the run. NaNs are skipped. */
    void measure(Queue queue, MatrixRun x, Tensor amax);

    /**
     * Quantizes a run.
     *
     * @param amax of the whole matrix, all-reduced over ranks
     * @param codes output of an 8-bit dtype, as many elements as the run
     */
    void quantize(Queue queue, MatrixRun x, Tensor amax, ScaleRule rule, Tensor codes);

    /**
     * Completes a matrix whose quantized values are all present: computes its inverse scales and its transpose.
     *
     * @param rowsMK has quantized values; receives inverse scales
     * @param columnsKM receives both
     */
    void complete(Queue queue, Tensor amax, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM);
}
