package io.hirundo.optimizer;

import io.hirundo.tensor.DType;
import java.util.regex.Pattern;

/**
 * A state tensor that an optimizer keeps for each element of a parameter: shaped like what a rank owns of it, and zero before the first
 * step.
 *
 * @param name PyTorch's name, for instance {@code exp_avg}; part of keys in checkpoints
 * @param dtype of its elements
 * @param countsSteps whether its zeros are right before step 1 alone, as those of moments with bias correction. If such a tensor begins
 *     at zero in the middle of a run, all state of the optimizer does, and it counts its steps from 1
 */
public record StateSpec(String name, DType dtype, boolean countsSteps) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9_]+");

  public StateSpec {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("the optimizer state \"" + name + "\" is not a name of lowercase letters, digits and _");
    }
  }

  /** State whose zeros are right at any step. */
  public StateSpec(String name, DType dtype) {
    this(name, dtype, false);
  }
}
