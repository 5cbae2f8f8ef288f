package io.hirundo.lib.optimizer;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Elements of a parameter's run, all or a part of them, that are updated at once.
 *
 * @param parameter the run
 * @param first offset of the elements in the run; in a part, a multiple of {@link io.hirundo.optimizer.Ownership#BLOCK_ELEMENTS}
 * @param valueN updated in place, in the dtype of updates
 * @param gradientN read only, of the same dtype
 */
public record UpdatePiece(Parameter parameter, long first, Tensor valueN, Tensor gradientN) {
    /** A run whose weights are updated where they are. */
    static UpdatePiece inPlace(Parameter run) {
        return new UpdatePiece(run, 0, run.value(), run.gradient());
    }

    /**
     * The elements of a state tensor of the run.
     *
     * @param block elements of the run for each element of the state
     */
    public Tensor of(Tensor state, int block) {
        long elements = valueN.elements() / block;
        return state.elements() == elements ? state : state.view(first / block, Shape.of(elements));
    }
}
