package io.hirundo.lib.engine.step;

import java.util.function.Supplier;

/**
 * Signals that ranks exchange in every step, as part of the gradient-norm all-reduce.
 *
 * @param stop whether a user asked the run to end
 * @param request whether something needs attention before the next step, for example a change request
 * @param save whether a checkpoint is due by the clock of the leading process
 */
public record StepSignals(boolean stop, boolean request, boolean save) {
    public static final StepSignals NONE = new StepSignals(false, false, false);

    public static final Supplier<StepSignals> SILENT = () -> NONE;
}
