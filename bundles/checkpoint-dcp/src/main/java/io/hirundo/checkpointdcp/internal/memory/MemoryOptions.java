package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.checkpointdcp.internal.store.Retention;
import io.hirundo.strategy.Setting;

/**
 * How {@code dcp-tiered} keeps checkpoints in memory.
 *
 * @param directory of a file system in memory, on every node
 * @param keep copies that are kept; while one is made there is one more
 * @param peerDistance how much higher the number of the rank is whose node keeps a second copy of a rank's data, modulo all ranks; 0
 *     for half of them
 */
public record MemoryOptions(
        @Setting("Folder of a file system in memory, on every node; the run makes one of its own in it")
        String directory,

        @Setting(value = "Checkpoints that are kept in memory; while one is made there is one more", min = 1)
        int keep,

        @Setting(
                value =
                        "How many ranks further the node is that keeps a second copy of a rank's data; 0 for half of all",
                min = 0)
        int peerDistance) {
    public MemoryOptions() {
        this("/dev/shm", 1, 0);
    }

    public Retention retention() {
        return new Retention(keep, 0);
    }
}
