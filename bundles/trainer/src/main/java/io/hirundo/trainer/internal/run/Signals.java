package io.hirundo.trainer.internal.run;

import java.util.function.Supplier;

/**
 * What ranks tell each other with every step, in the message that carries the gradient norm.
 *
 * @param stop whether the run was asked to end
 * @param wish whether something is to be looked at before the next step
 * @param save whether it is time for a checkpoint, which the process that leads decides by its clock
 */
record Signals(boolean stop, boolean wish, boolean save) {
  static final Signals NONE = new Signals(false, false, false);

  static final Supplier<Signals> SILENT = () -> NONE;
}
