package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * RMSNorm (Zhang and Sennrich 2019, arXiv 1910.07467): {@code y = x r w} with {@code r = 1 / sqrt(mean(x²) + epsilon)} over the
 * channels of a token. {@code inverseRmsT} is r, in FP32 (FP64 with FP64 operands). With BF16 activations the weight and its
 * gradient may be FP32.
 */
@ConsumerType
public interface NormKernels {
    /** Writes {@code yTC} and {@code inverseRmsT}. */
    void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT);

    /** {@code sum = x + delta}, then {@link #forward} on the sum. {@code sumTC} may alias {@code xTC} or {@code deltaTC}. */
    void addForward(
            Queue queue,
            Tensor xTC,
            Tensor deltaTC,
            Tensor weightC,
            double epsilon,
            Tensor sumTC,
            Tensor yTC,
            Tensor inverseRmsT);

    /** Recomputes {@code y} from a saved {@code inverseRmsT}, bitwise equal to the forward's. */
    void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC);

    /**
     * {@code dx = residualGradient + r (w dy - x r² mean(w dy x))}.
     *
     * @param residualGradientTC gradient of the residual connection, or null for none; may alias {@code dxTC}
     */
    void backwardInput(
            Queue queue,
            Tensor dyTC,
            Tensor xTC,
            Tensor weightC,
            Tensor inverseRmsT,
            Tensor residualGradientTC,
            Tensor dxTC);

    /** {@code dw += sum over tokens of dy x r}. */
    void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC);
}
