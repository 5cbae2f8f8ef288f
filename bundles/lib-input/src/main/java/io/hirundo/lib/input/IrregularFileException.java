package io.hirundo.lib.input;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A path that must be a regular file is a folder, a named pipe, a device or a socket. */
public final class IrregularFileException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    IrregularFileException(Path file, String kind) {
        super(file.toString(), null, "is " + kind + ", not a regular file");
    }

    /** {@code PATH is a named pipe, not a regular file}. */
    @Override
    public String getMessage() {
        return getFile() + " " + getReason();
    }
}
