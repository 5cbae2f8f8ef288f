package io.hirundo.itests.damage;

import java.nio.file.Path;

/** Damages a valid file. */
@FunctionalInterface
public interface Breakage {
    /** Changes, replaces or deletes the file. */
    void apply(Path file) throws Exception;
}
