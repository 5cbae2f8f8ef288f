package io.hirundo.lib.run.section;

import io.hirundo.strategy.Setting;

/** Name and directory of a run. */
public record RunSection(
        @Setting(value = "Name of the run and of its directory", required = true)
        String name,

        @Setting("Folder of the run directories; on a shared file system for runs on several machines")
        String directory) {

    /** The defaults. */
    public RunSection() {
        this(null, "runs");
    }
}
