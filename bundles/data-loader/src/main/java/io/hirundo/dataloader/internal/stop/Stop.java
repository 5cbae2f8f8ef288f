package io.hirundo.dataloader.internal.stop;

import io.hirundo.command.Interruption;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BooleanSupplier;

/**
 * Ends long reads after Ctrl-C or SIGTERM. A file can be a hole of terabytes, so every loop over a file's contents calls this
 * often enough that it ends within two seconds.
 *
 * @param requested whether the user has interrupted; polled by any thread
 */
public record Stop(BooleanSupplier requested) {
    /** For loops over items that take less than a microsecond: poll whenever {@code count & EVERY} is 0. */
    public static final long EVERY = (1 << 16) - 1;

    public static final Stop NEVER = new Stop(() -> false);

    public static Stop on(Interruption interruption) {
        return new Stop(interruption::isRequested);
    }

    /**
     * Ends the read if the user has interrupted.
     *
     * @param what is read, for the message
     * @throws io.hirundo.HirundoException with {@link io.hirundo.ExitCode#INTERRUPTED}
     */
    public void check(Object what) {
        if (requested.getAsBoolean()) {
            throw new InterruptedReadException(what);
        }
    }

    /** The same bytes; each read of an array calls {@link #check}. */
    public InputStream guard(InputStream in, Object what) {
        return new FilterInputStream(in) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                check(what);
                return in.read(bytes, offset, length);
            }
        };
    }
}
