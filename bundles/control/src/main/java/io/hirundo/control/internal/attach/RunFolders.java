package io.hirundo.control.internal.attach;

import io.hirundo.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds a run's directory by name or path. */
record RunFolders(Path runs) {
    /**
     * The directory of a run.
     *
     * @param run a directory, or the name of one in {@link #runs}
     * @throws ConfigurationException if neither exists
     */
    Path find(String run) {
        Path directory = Path.of(run);
        if (Files.isDirectory(directory)) {
            return directory;
        }
        Path named = runs.resolve(run);
        if (Files.isDirectory(named)) {
            return named;
        }
        throw new ConfigurationException(
                "there is no run " + run + ": neither " + directory.toAbsolutePath() + " nor " + named.toAbsolutePath()
                        + " is a directory; give the directory of a run, or --run-dir with the folder of the runs");
    }
}
