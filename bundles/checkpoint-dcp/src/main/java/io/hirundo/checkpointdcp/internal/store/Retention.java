package io.hirundo.checkpointdcp.internal.store;

import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import java.util.ArrayList;
import java.util.List;

/**
 * Which checkpoints stay when others are deleted: the newest, and those of round steps. Of one step the last one counts.
 *
 * @param keepLast as many of the newest
 * @param keepEvery those whose step is a multiple of this, however old; 0 for none
 */
public record Retention(int keepLast, long keepEvery) {
    /** Those that go. */
    List<CheckpointName> superfluous(List<CheckpointName> newestFirst) {
        var superfluous = new ArrayList<CheckpointName>();
        int steps = 0;
        long lastStep = -1;
        for (CheckpointName name : newestFirst) {
            boolean isSuperseded = name.step() == lastStep;
            if (!isSuperseded) {
                steps++;
                lastStep = name.step();
            }
            boolean isRound = keepEvery > 0 && name.step() % keepEvery == 0;
            if (isSuperseded || (steps > keepLast && !isRound)) {
                superfluous.add(name);
            }
        }
        return superfluous;
    }
}
