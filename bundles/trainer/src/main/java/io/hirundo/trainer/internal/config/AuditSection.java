package io.hirundo.trainer.internal.config;

import io.hirundo.strategy.Setting;

/** How a run checks its own arithmetic while it goes on. */
public record AuditSection(
    @Setting(
            value =
                "Tiles of matrix products that are computed once more in double precision in each step, each on a random rank, and with"
                    + " them a chunk of a collective; 0.1 for every tenth step; 0 for none",
            min = 0,
            max = 1024)
        double rate,
    @Setting("What is done where a result is wrong: log, pause after a checkpoint, or rollback to the newest checkpoint before it")
        OnFinding onFinding,
    @Setting(value = "Rollbacks of a run after which it ends instead, with exit code 79", min = 0) int rollbacks) {

  /** The defaults. */
  public AuditSection() {
    this(0, OnFinding.LOG, 3);
  }

  public boolean isOn() {
    return rate > 0;
  }
}
