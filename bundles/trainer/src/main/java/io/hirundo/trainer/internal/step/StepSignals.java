package io.hirundo.trainer.internal.step;

import java.util.function.Supplier;

/**
 * What ranks tell each other with every step, in the message that carries the gradient norm.
 *
 * @param stop whether the run was asked to end
 * @param wish whether something is to be looked at before the next step
 * @param save whether it is time for a checkpoint, which the process that leads decides by its clock
 */
public record StepSignals(boolean stop, boolean wish, boolean save) {
  static final StepSignals NONE = new StepSignals(false, false, false);

  public static final Supplier<StepSignals> SILENT = () -> NONE;
}
