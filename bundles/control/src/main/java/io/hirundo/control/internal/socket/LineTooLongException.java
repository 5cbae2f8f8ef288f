package io.hirundo.control.internal.socket;

import java.io.IOException;

/** A line has more bytes than its reader accepts. */
public final class LineTooLongException extends IOException {
    private static final long serialVersionUID = 1;

    LineTooLongException(String message) {
        super(message);
    }
}
