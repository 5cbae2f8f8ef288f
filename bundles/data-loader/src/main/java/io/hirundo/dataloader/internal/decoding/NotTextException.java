package io.hirundo.dataloader.internal.decoding;

import java.io.IOException;

/** The input is not text. The message says why; callers put the file's name in front of it. */
public final class NotTextException extends IOException {
    private static final long serialVersionUID = 1L;

    NotTextException(String message) {
        super(message);
    }
}
