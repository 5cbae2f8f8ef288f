package io.hirundo.control.internal.socket;

import java.io.IOException;

/** What answers at a socket does not speak the protocol of a run. */
public final class NoRunException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param what the first reply that a run does not give, as in {@code the first line is no greeting} */
    public NoRunException(String what) {
        super("what answers at the socket is no run of this version: " + what
                + "; attach with the program that trains, or give the directory of another run");
    }
}
