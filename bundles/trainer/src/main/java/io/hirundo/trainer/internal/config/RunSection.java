package io.hirundo.trainer.internal.config;

import io.hirundo.strategy.Setting;

/** What a run is called and where it is written. */
public record RunSection(
    @Setting(value = "Name of the run, and of its directory", required = true) String name,
    @Setting("Folder that holds the run directories; on a shared file system if there are several machines")
        String directory) {

  /** The defaults. */
  public RunSection() {
    this(null, "runs");
  }
}
