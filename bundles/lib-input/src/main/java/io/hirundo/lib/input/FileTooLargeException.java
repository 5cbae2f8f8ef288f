package io.hirundo.lib.input;

import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;

/** A file is too large to be read into memory. */
public final class FileTooLargeException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    FileTooLargeException(Path file, long maxBytes) {
        super(
                file.toString(),
                null,
                String.format(Locale.ROOT, "is larger than %,d bytes, the limit for such a file", maxBytes));
    }

    /** {@code PATH is larger than 1,000 bytes, the limit for such a file}. */
    @Override
    public String getMessage() {
        return getFile() + " " + getReason();
    }
}
