package io.hirundo.checkpointhf.internal.file;

import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import java.nio.file.Path;

/** What is wrong with a file of weights. */
public final class Damage {
    public static final String REMEDY = "it is damaged or of another kind: fetch it again";

    private Damage() {}

    public static DataException of(Path file, String what) {
        return new DataException(file + ": " + what + "; " + REMEDY);
    }

    public static DataException of(Path file, String tensor, String what) {
        return new DataException(file + ": tensor '" + Excerpt.of(tensor) + "' " + what);
    }
}
