package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpointdcp.internal.store.Retention;
import io.hirundo.strategy.Setting;

/**
 * Options of the checkpoint strategy {@code dcp-async}.
 *
 * @param keepLast checkpoints that are kept; older ones are deleted once a newer one is on disk
 * @param keepEvery those whose step is a multiple of this are kept as well; 0 for none
 * @param chunkBytes bytes that have one checksum, and a buffer's size; a multiple of 4096
 * @param stagingBytes most host memory that each rank takes for its buffers; room for two at least
 * @param timeoutSeconds how long a save waits for another rank while nobody writes anything
 */
public record AsyncOptions(
        @Setting(value = "Checkpoints that are kept; older ones are deleted when a new one is safe", min = 1)
        int keepLast,

        @Setting(value = "Steps of which every multiple is kept as well, however old; 0 for none", min = 0)
        long keepEvery,

        @Setting(value = "Bytes under one checksum, a multiple of 4096", min = 4096, max = 1 << 30)
        int chunkBytes,

        @Setting(
                value = "Most host memory of a rank for what is not written yet; where it is full, saving waits",
                min = 8192)
        long stagingBytes,

        @Setting(value = "Seconds without a byte from anybody after which a save is given up", min = 1)
        long timeoutSeconds) {
    public AsyncOptions() {
        this(2, 0, 4 << 20, 4L << 30, 300);
    }

    Retention retention() {
        return new Retention(keepLast, keepEvery);
    }
}
