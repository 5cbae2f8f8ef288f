package io.hirundo.lib.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Temporary folders that only this user can enter. They are below the process's folder, if the launcher created one. The launcher
 * removes that folder when the process ends, or at a later start after a kill.
 */
public final class TemporaryFolders {
    /** System property set by the launcher: the folder of this process. */
    private static final String OF_PROCESS = "hirundo.temporary";

    private TemporaryFolders() {}

    /**
     * Creates a folder. Without a launcher, as in tests, it is below {@code java.io.tmpdir}.
     *
     * @param prefix of its name; a random number follows
     */
    public static Path create(String prefix) throws IOException {
        String ofProcess = System.getProperty(OF_PROCESS);
        return ofProcess == null
                ? Files.createTempDirectory("hirundo-" + prefix)
                : Files.createTempDirectory(Path.of(ofProcess), prefix);
    }

    /**
     * Deletes a folder that {@link #create} made. With a launcher, what cannot be deleted stays until the process ends: the launcher then
     * tries again, and reports what is left in one line.
     *
     * @throws IOException if it cannot be deleted, and there is no launcher
     */
    public static void delete(Path folder) throws IOException {
        try {
            Deletion.delete(folder);
        } catch (IOException e) {
            String ofProcess = System.getProperty(OF_PROCESS);
            if (ofProcess == null || !folder.startsWith(ofProcess)) {
                throw e;
            }
        }
    }
}
