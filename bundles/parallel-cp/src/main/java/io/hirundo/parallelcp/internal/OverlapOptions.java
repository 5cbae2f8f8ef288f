package io.hirundo.parallelcp.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code ring} and {@code all-gather}.
 *
 * @param overlap whether attention overlaps the transfer of keys and values
 */
public record OverlapOptions(
        @Setting("overlap attention over the local keys with the transfer of the others")
        boolean overlap) {
    public OverlapOptions() {
        this(true);
    }
}
