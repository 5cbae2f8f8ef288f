package io.hirundo.tokenizerhf.internal.safety;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;

/** The user interrupted the command during the check of a tokenizer in a child process. */
final class InterruptedProbeException extends HirundoException {
    private static final long serialVersionUID = 1L;

    InterruptedProbeException(String where, InterruptedException cause) {
        super(
                ExitCode.INTERRUPTED,
                "tokenizer " + where + ": interrupted while its file was tried in a child process",
                cause);
    }
}
