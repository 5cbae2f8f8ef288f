package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Detects lost command output: {@code System.out} hides write failures until asked. */
final class StandardOutput {
    private static final Path FILE = Path.of("/dev/fd/1");
    private static final int KIND = 0170000;
    private static final int PIPE = 0010000;

    private StandardOutput() {}

    /**
     * Call after the command has ended.
     *
     * @throws LaunchException if output could not be written; not if the reader stopped early, as {@code head} does
     */
    static void check() throws LaunchException {
        if (System.out.checkError() && !isPipe()) {
            throw LaunchException.unwritten(
                    "cannot write to standard output, the output is incomplete; free space at its destination");
        }
    }

    private static boolean isPipe() {
        try {
            return ((Integer) Files.getAttribute(FILE, "unix:mode") & KIND) == PIPE;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
