package io.hirundo.lib.output;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A path cannot be written because of what exists there or because of permissions. */
public final class UnwritableException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    UnwritableException(Path path, String reason) {
        super(path.toString(), null, reason);
    }

    /** {@code PATH is a file, not a folder}. */
    @Override
    public String getMessage() {
        return getFile() + " " + getReason();
    }
}
