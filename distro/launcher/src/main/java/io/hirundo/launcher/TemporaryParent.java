package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The folder for temporary files, and the folders above it. Whoever can rename one of them can put another in its place and so replace
 * the code that runs.
 */
final class TemporaryParent {
    private TemporaryParent() {}

    /**
     * The real path: a link in {@code parent} may point elsewhere a moment later.
     *
     * @throws LaunchException if it is not a folder, or another user can replace it
     */
    static Path require(Path parent) throws LaunchException {
        try {
            Path real = parent.toRealPath();
            if (!Files.isDirectory(real)) {
                throw unusable(parent, "not a folder", null);
            }
            requireTrusted(real);
            return real;
        } catch (IOException e) {
            throw unusable(parent, Printed.reason(e), e);
        }
    }

    static LaunchException unusable(Path parent, String reason, IOException cause) {
        return new LaunchException(
                "the folder for temporary files, " + parent + ", cannot be used (" + reason
                        + "); set TMPDIR to a folder that exists, is writable and has room",
                cause);
    }

    private static void requireTrusted(Path real) throws IOException, LaunchException {
        Optional<TrustedPath.Distrust> distrust = TrustedPath.ofReal(real, false);
        if (distrust.isPresent()) {
            Path folder = distrust.get().place();
            String named = "the folder for temporary files, "
                    + (folder.equals(real) ? real + "," : real + ", is below " + folder + ", which");
            throw new LaunchException(
                    distrust.get().isWritable()
                            ? named
                                    + " is writable for other users and not sticky: others could replace the code that runs; chmod +t "
                                    + folder + ", or set TMPDIR to a folder of your own"
                            : named
                                    + " belongs to another user, who could replace the code that runs; set TMPDIR to a folder of your own");
        }
    }
}
