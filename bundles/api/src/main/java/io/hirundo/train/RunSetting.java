package io.hirundo.train;

import java.util.List;

/**
 * A setting that {@link RunControl#change} accepts.
 *
 * @param path in the configuration: {@code training.clipNorm}, {@code learningRate.options.peak}
 * @param value its current value, as compact JSON
 * @param alternatives allowed values if they are few; empty for numbers and text
 */
public record RunSetting(String path, String value, List<Alternative> alternatives) {
    /**
     * An allowed value of a setting.
     *
     * @param value a strategy's name, a constant, or {@code true}
     * @param options names of the strategy's options; empty if it has none or the value is not a strategy
     */
    public record Alternative(String value, List<String> options) {
        public Alternative {
            options = List.copyOf(options);
        }
    }

    public RunSetting {
        alternatives = List.copyOf(alternatives);
    }
}
