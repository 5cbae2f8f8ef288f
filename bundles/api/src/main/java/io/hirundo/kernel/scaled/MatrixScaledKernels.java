package io.hirundo.kernel.scaled;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Per-tensor scaling of 8-bit matrices ({@link ScaleBlock#MATRIX}). The caller passes the amax: of this matrix, or from an amax
 * history (delayed scaling). Scale and quantized values follow from it as in {@link BlockScaledKernels}; larger values saturate.
 * {@link BlockScaledKernels#multiplyNT} multiplies the result.
 */
@ConsumerType
public interface MatrixScaledKernels {
    /**
     * {@code amax = max(accumulate ? amax : 0, |x|)}. Infinities and NaNs are skipped.
     *
     * @param x FP32 or BF16, of any shape
     * @param amax1 FP32
     */
    void maximum(Queue queue, Tensor x, Tensor amax1, boolean accumulate);

    /** Quantizes an FP32 or BF16 matrix with the scale of {@code amax1}, an FP32 scalar. */
    void quantize(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix rowsMK);

    /** Quantizes the transpose of an FP32 or BF16 matrix with the scale of {@code amax1}, an FP32 scalar. */
    void quantizeTransposed(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix columnsKM);
}
