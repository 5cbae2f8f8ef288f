package io.hirundo.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** Stochastic rounding of FP32 values to BF16, as {@link StochasticRounding} defines it, bit for bit on every device. */
@ConsumerType
public interface StochasticRoundingKernels {
    /**
     * The places of consecutive elements in a complete tensor, which determine their random bits. Element i has the index
     * {@code first + (skipped + i) / columns * stride + (skipped + i) % columns}.
     *
     * @param key of {@link StochasticRounding#key}
     * @param first index of the first element of the row in which the elements begin
     * @param skipped elements of that row before them, fewer than {@code columns}
     * @param columns elements of a row that the rank holds
     * @param stride elements of a complete row
     */
    record Places(long key, long first, long skipped, long columns, long stride) {
        public Places {
            if (first < 0 || skipped < 0 || skipped >= columns || stride < 0) {
                throw new IllegalArgumentException("places: " + skipped + " elements are skipped of a row of " + columns
                        + " at " + first + " with stride " + stride
                        + " (allowed: at least 0, and fewer skipped than a row has)");
            }
        }

        /** Elements without a gap. */
        public static Places consecutive(long key, long first) {
            return new Places(key, first, 0, Long.MAX_VALUE, 0);
        }

        /** The index of element {@code i} in the complete tensor. */
        public long index(long i) {
            return first + (skipped + i) / columns * stride + (skipped + i) % columns;
        }
    }

    /**
     * One rounding.
     *
     * @param fromN FP32, read only
     * @param toN BF16, as many elements
     */
    record Rounding(Tensor fromN, Tensor toN, Places places) {
        public Rounding {
            require("fromN", fromN, toN.elements(), DType.FP32);
            require("toN", toN, fromN.elements(), DType.BF16);
        }

        private static void require(String name, Tensor tensor, long elements, DType dtype) {
            if (tensor.elements() != elements || tensor.dtype() != dtype) {
                throw new IllegalArgumentException(name + " has " + tensor.elements() + " elements of " + tensor.dtype()
                        + " (allowed: " + elements + " of " + dtype + ")");
            }
        }
    }

    /** Rounds each. */
    void round(Queue queue, List<Rounding> roundings);
}
