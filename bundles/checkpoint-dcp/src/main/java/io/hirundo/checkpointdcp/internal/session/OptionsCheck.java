package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.store.Retention;

/** What the options of all strategies of this bundle must be. A path is that of the options in the configuration. */
final class OptionsCheck {
    /** The path of a strategy's options. */
    static final String STRATEGY = "checkpoint.strategy.options";

    private OptionsCheck() {}

    /** Of strategies that write in the background. */
    static void check(String path, AsyncOptions options) {
        check(path, options.retention(), options.chunkBytes());
        long twoChunks = 2L * options.chunkBytes();
        require(
                path,
                "stagingBytes",
                options.stagingBytes(),
                options.stagingBytes() >= twoChunks,
                "at least two chunks, " + twoChunks);
        require(path, "timeoutSeconds", options.timeoutSeconds(), options.timeoutSeconds() >= 1, "at least 1");
    }

    static void check(String path, Retention retention, int chunkBytes) {
        require(path, "keepLast", retention.keepLast(), retention.keepLast() >= 1, "at least 1");
        require(path, "keepEvery", retention.keepEvery(), retention.keepEvery() >= 0, "a number of steps, or 0");
        boolean isAligned = chunkBytes >= DataFile.ALIGNMENT_BYTES && chunkBytes % DataFile.ALIGNMENT_BYTES == 0;
        require(path, "chunkBytes", chunkBytes, isAligned, "a multiple of " + DataFile.ALIGNMENT_BYTES);
    }

    static void require(String path, String name, long value, boolean allowed, String range) {
        if (!allowed) {
            throw new ConfigurationException(path + "." + name + ": " + value + " is wrong (allowed: " + range + ")");
        }
    }
}
