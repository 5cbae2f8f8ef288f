package io.hirundo.storefolder.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of the checkpoint store {@code folder}.
 *
 * @param path folder that holds a folder for each run; must exist
 */
public record FolderOptions(
        @Setting(
                value = "Folder on another file system than the run's, with a subfolder for each run; must exist",
                required = true)
        String path) {
    public FolderOptions() {
        this(null);
    }
}
