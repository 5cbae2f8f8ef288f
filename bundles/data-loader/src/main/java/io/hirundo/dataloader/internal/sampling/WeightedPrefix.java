package io.hirundo.dataloader.internal.sampling;

import io.hirundo.strategy.Setting;

/**
 * A dataset of a blend.
 *
 * @param prefix what the names of its .bin and .idx have in common
 * @param weight above 0; weights need not sum to 1
 */
public record WeightedPrefix(
        @Setting(value = "What the names of the dataset's .bin and .idx files have in common", required = true)
        String prefix,

        @Setting(value = "Share of the samples, relative to the other weights; above 0", min = 0)
        double weight) {
    public WeightedPrefix() {
        this("", 1);
    }

    public WeightedPrefix {
        if (!(weight > 0) || Double.isInfinite(weight)) {
            throw new IllegalArgumentException(
                    "weight: " + weight + " is not above 0; leave a dataset out that is not wanted");
        }
    }
}
