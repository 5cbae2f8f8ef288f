package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpointdcp.internal.store.Retention;
import io.hirundo.strategy.Setting;

/**
 * Options of the checkpoint strategy {@code sync}.
 *
 * @param keepLast checkpoints that are kept; older ones are deleted once a newer one is on disk
 * @param keepEvery those whose step is a multiple of this are kept as well; 0 for none
 * @param chunkBytes bytes that have one checksum, that are read at once, and that are copied to the host at once; a multiple
 *     of 4096
 */
public record SyncOptions(
        @Setting(value = "Checkpoints that are kept; older ones are deleted when a new one is safe", min = 1)
        int keepLast,

        @Setting(value = "Steps of which every multiple is kept as well, however old; 0 for none", min = 0)
        long keepEvery,

        @Setting(value = "Bytes under one checksum, a multiple of 4096", min = 4096, max = 1 << 30)
        int chunkBytes) {
    public SyncOptions() {
        this(2, 0, 4 << 20);
    }

    Retention retention() {
        return new Retention(keepLast, keepEvery);
    }
}
