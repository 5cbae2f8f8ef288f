package io.hirundo.kernel.scaled;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * GEMMs of 8-bit matrices with block scales (DeepSeek-AI 2024, arXiv 2412.19437; arithmetic as in NVIDIA's Transformer Engine).
 *
 * <p>{@code amax} is a block's largest magnitude; NaNs are skipped. The scale is 1 if amax is 0 or infinite. Otherwise {@code s =
 * max / amax} in FP32, with max the largest value of the 8-bit dtype. An infinite s becomes the largest finite value of x's
 * dtype. {@link ScaleRule#POWER_OF_TWO} then drops the mantissa. The quantized value is {@code x s}, rounded to FP32, then to
 * nearest even, saturating; NaN becomes {@code 0x7f}. The stored inverse scale is {@code 1 / s} in FP32. Subnormals are not
 * flushed to zero.
 */
@ConsumerType
public interface BlockScaledKernels {
    /** Quantizes an FP32 or BF16 matrix with {@link ScaleBlock#ROW} or {@link ScaleBlock#SQUARE} scales. */
    void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK);

    /** Quantizes the transpose of an FP32 or BF16 matrix, as {@link #quantize} does. */
    void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM);

    /**
     * Quantizes a matrix and its transpose, bitwise equal to {@link #quantize} and {@link #quantizeTransposed}, which the default
     * calls. Devices override it to read the matrix once.
     */
    default void quantizeBoth(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        quantize(queue, xMK, rule, rowsMK);
        quantizeTransposed(queue, xMK, rule, columnsKM);
    }

    /**
     * {@code c[M,N] = (accumulate ? c : 0) + a b^T}. For every 128 of K it sums products of quantized values in FP32, in any
     * order that depends on the operands alone, then {@code y = fma(sum sa, sb, y)} with the inverse scales of a and b. c is rounded once.
     *
     * @param aMK with {@link ScaleBlock#ROW} scales; with {@link MatrixScaledKernels} also {@link ScaleBlock#MATRIX}
     * @param bNK with any supported scales
     * @param cMN FP32 or BF16
     */
    void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate);

    /**
     * Dequantizes: multiplies each value by the inverse scale of its block, rounded once.
     *
     * @param rowsMK with {@link ScaleBlock#ROW} or {@link ScaleBlock#SQUARE} scales
     * @param xMK FP32 or BF16
     */
    void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK);
}
