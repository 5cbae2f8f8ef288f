package io.hirundo.parallelpp.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code interleaved}.
 *
 * @param chunks virtual stages per rank
 * @param group microbatches that run through one chunk before the next
 */
public record InterleavedOptions(
        @Setting(value = "model chunks (virtual stages) per rank", min = 2, max = 1_024)
        int chunks,

        @Setting(
                value =
                        "microbatches per group: a group runs through a chunk before the next; at least the number of ranks; 0 for that number",
                min = 0)
        int group) {
    public InterleavedOptions() {
        this(2, 0);
    }
}
