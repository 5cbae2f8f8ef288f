package io.hirundo.optimizer;

import io.hirundo.tensor.DType;
import java.util.regex.Pattern;

/**
 * A state tensor that an optimizer keeps for a parameter: shaped like what a rank owns of it, or with an element for each block of its
 * elements. It is zero before the first step.
 *
 * @param name PyTorch's name, for instance {@code exp_avg}; part of keys in checkpoints
 * @param dtype of its elements
 * @param countsSteps whether its zeros are right before step 1 alone, as those of moments with bias correction. If such a tensor begins
 *     at zero in the middle of a run, all state of the optimizer does, and it counts its steps from 1
 * @param block elements of the parameter, consecutive in a row, that share an element of the tensor; 1 for a tensor like the parameter.
 *     Others need {@link Ownership#BLOCKS} or {@link Ownership#TENSOR}, and rows of the published tensor that are whole blocks
 */
public record StateSpec(String name, DType dtype, boolean countsSteps, int block) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9_]+");

    public StateSpec {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the optimizer state \"" + name + "\" is not a name of lowercase letters, digits and _");
        }
        if (block < 1) {
            throw new IllegalArgumentException(
                    "the optimizer state " + name + " has blocks of " + block + " elements (allowed: at least 1)");
        }
    }

    /** An element for each of the parameter's. */
    public StateSpec(String name, DType dtype, boolean countsSteps) {
        this(name, dtype, countsSteps, 1);
    }

    /** An element for each of the parameter's, whose zeros are right at any step. */
    public StateSpec(String name, DType dtype) {
        this(name, dtype, false);
    }
}
