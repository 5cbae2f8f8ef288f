package io.hirundo.dataloader.internal.stop;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;

/** The user interrupted the command while it read data. */
final class InterruptedReadException extends HirundoException {
    private static final long serialVersionUID = 1L;

    InterruptedReadException(Object what) {
        super(ExitCode.INTERRUPTED, "stopped: not all of " + what + " was read", null);
    }
}
