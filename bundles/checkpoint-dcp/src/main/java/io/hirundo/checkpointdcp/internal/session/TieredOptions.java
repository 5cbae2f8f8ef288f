package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpointdcp.internal.memory.MemoryOptions;
import io.hirundo.strategy.Setting;

/**
 * Options of the checkpoint strategy {@code dcp-tiered}. The first five are those of {@link AsyncOptions}.
 *
 * @param keepLast checkpoints on storage that are kept
 * @param keepEvery those whose step is a multiple of this are kept as well; 0 for none
 * @param chunkBytes bytes that have one checksum, a buffer's size, and what ranks pass each other at once; a multiple of 4096
 * @param stagingBytes most host memory that each rank takes for its buffers; room for two at least
 * @param timeoutSeconds how long a save waits for another rank while nobody writes anything
 * @param durableEvery every so many saves one goes to storage, the others to memory; 1 for all
 * @param memory where the others go
 */
public record TieredOptions(
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
        long timeoutSeconds,

        @Setting(value = "Of so many saves the last goes to storage, the others to memory", min = 1)
        int durableEvery,

        @Setting("Where and how checkpoints are kept in memory")
        MemoryOptions memory) {
    public TieredOptions() {
        this(2, 0, 4 << 20, 4L << 30, 300, 10, new MemoryOptions());
    }

    AsyncOptions durable() {
        return new AsyncOptions(keepLast, keepEvery, chunkBytes, stagingBytes, timeoutSeconds);
    }
}
