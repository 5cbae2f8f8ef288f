package io.hirundo.parallelpp.internal.csv;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code csv}.
 *
 * @param file the table
 * @param placement maps chunks to stages
 * @param fuseBackward whether to run a B and a directly following W as one
 */
public record CsvOptions(
        @Setting(
                value = "path of the table: a row per rank, an action per cell, F0, B0 or W0; in chunk 1 F0.1",
                required = true)
        String file,

        @Setting("stages of a rank's chunks: loop (interleaved), or v (two chunks, down the ranks and up again)")
        ChunkPlacement placement,

        @Setting("run a B and the W right after it as one: less memory, but the input gradient is sent later")
        boolean fuseBackward) {
    public CsvOptions() {
        this(null, ChunkPlacement.LOOP, true);
    }
}
