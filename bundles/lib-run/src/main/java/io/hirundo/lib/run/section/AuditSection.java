package io.hirundo.lib.run.section;

import io.hirundo.strategy.Setting;

/** How a run checks its own arithmetic while it trains. */
public record AuditSection(
        @Setting(
                value =
                        "GEMM tiles per step that are recomputed in double precision, each on a random rank, and with them a chunk of a"
                                + " collective; 0.1 for every tenth step; 0 for none",
                min = 0,
                max = 1024)
        double rate,

        @Setting("Reaction to a wrong result: log, pause after a checkpoint, or rollback to the newest checkpoint")
        OnFinding onFinding,

        @Setting(value = "Rollbacks of a run after which it ends instead, with exit code 79", min = 0)
        int rollbacks) {
    /** What a run does when the audit finds a wrong result. */
    public enum OnFinding {
        /** Logs the finding and continues. */
        LOG,
        /** Logs the finding, saves a checkpoint, and pauses. */
        PAUSE,
        /** Logs the finding, and continues from the newest checkpoint before the wrong step. */
        ROLLBACK
    }

    /** The defaults. */
    public AuditSection() {
        this(0, OnFinding.LOG, 3);
    }

    public boolean isOn() {
        return rate > 0;
    }
}
