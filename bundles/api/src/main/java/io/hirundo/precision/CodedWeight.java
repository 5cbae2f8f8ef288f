package io.hirundo.precision;

import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A quantized weight, as {@link WeightCoding} produces it. The caller of that method owns the tensors.
 *
 * @param magnitudes amax per scaling block, merged over all ranks
 * @param runs consecutive runs that together cover all elements
 */
public record CodedWeight(Tensor magnitudes, List<Run> runs) {
    /**
     * Quantized values of consecutive elements.
     *
     * @param firstElement offset of the run in the weight
     * @param codes quantized values
     */
    public record Run(long firstElement, Tensor codes) {}

    public CodedWeight {
        runs = List.copyOf(runs);
    }
}
