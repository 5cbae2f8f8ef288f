package io.hirundo.dataloader.internal.sequential;

import io.hirundo.strategy.Setting;

/**
 * Options of the data source {@code sequential}.
 *
 * @param prefix of a dataset's files
 */
public record SequentialOptions(
        @Setting(value = "Path of the dataset, without .bin and .idx", required = true)
        String prefix) {
    public SequentialOptions() {
        this(null);
    }
}
