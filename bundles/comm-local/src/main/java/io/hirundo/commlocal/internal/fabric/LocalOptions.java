package io.hirundo.commlocal.internal.fabric;

import io.hirundo.strategy.Setting;

/**
 * Options of the fabric {@code local}.
 *
 * @param timeoutSeconds deadline of every wait for another rank
 * @param link what a transfer costs, or null
 */
public record LocalOptions(
        @Setting(value = "how long a rank waits for the others before the world is ended, in seconds", min = 1)
        int timeoutSeconds,

        @Setting("artificial cost of every transfer, to see what a network would hide or not; null for none")
        LinkOptions link) {
    public LocalOptions() {
        this(600, null);
    }
}
