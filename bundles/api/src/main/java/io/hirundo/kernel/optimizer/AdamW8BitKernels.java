package io.hirundo.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.kernel.DynamicMap;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * AdamW whose moments are stored in 8 bits (Dettmers et al. 2022, arXiv 2110.02861).
 *
 * <p>A moment of N elements, a multiple of {@link #BLOCK_ELEMENTS}, is two tensors: {@code quantized}, INT32 of N / 4 elements, each with
 * four values that a {@link DynamicMap} quantized, the first one in the lowest byte; and {@code scales}, FP32, the largest magnitude of each block.
 * An element is its block's scale times its {@link DynamicMap#value}. Zeros in both are a moment of 0.
 */
@ConsumerType
public interface AdamW8BitKernels {
    /** Elements that share a scale. */
    int BLOCK_ELEMENTS = 128;

    /** Quantized values in an element of {@code quantized}. */
    int VALUES_OF_WORD = 4;

    /**
     * The tensors of one update.
     *
     * @param gradientN FP32, read only
     * @param parameterN FP32, updated in place, as are all others
     * @param first of both signs, with {@link DynamicMap#SIGNED}
     * @param second of at least 0, with {@link DynamicMap#UNSIGNED}
     */
    record Update(Tensor gradientN, Tensor parameterN, Moment first, Moment second) {
        public Update {
            long elements = parameterN.elements();
            if (elements % BLOCK_ELEMENTS != 0) {
                throw new IllegalArgumentException(
                        "parameterN has " + elements + " elements (allowed: a multiple of " + BLOCK_ELEMENTS + ")");
            }
            require("parameterN", parameterN, elements, DType.FP32);
            require("gradientN", gradientN, elements, DType.FP32);
            first.require("first", elements);
            second.require("second", elements);
        }
    }

    /** A moment in 8 bits. */
    record Moment(Tensor quantized, Tensor scales) {
        private void require(String name, long elements) {
            AdamW8BitKernels.require(name + ".quantized", quantized, elements / VALUES_OF_WORD, DType.INT32);
            AdamW8BitKernels.require(name + ".scales", scales, elements / BLOCK_ELEMENTS, DType.FP32);
        }
    }

    private static void require(String name, Tensor tensor, long elements, DType dtype) {
        if (tensor.elements() != elements || tensor.dtype() != dtype) {
            throw new IllegalArgumentException(name + " has " + tensor.elements() + " elements of " + tensor.dtype()
                    + " (allowed: " + elements + " of " + dtype + ")");
        }
    }

    /**
     * As {@link OptimizerKernels#adamW}: the parameter is updated with the moments before they are quantized. A block with a moment that is not
     * finite gets a scale that is not finite.
     *
     * @param gradientCoefficient1 FP64 scalar on the device
     */
    void adamW(Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<Update> updates);
}
