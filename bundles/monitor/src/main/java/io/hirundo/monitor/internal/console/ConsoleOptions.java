package io.hirundo.monitor.internal.console;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code console}.
 *
 * @param everySteps steps between permanent lines; 0 for none on a terminal, and one about every two seconds elsewhere
 */
public record ConsoleOptions(
        @Setting(
                value =
                        "Steps between permanent progress lines; 0 for one about every 2 s, or only the live line on a terminal",
                min = 0)
        long everySteps) {
    public ConsoleOptions() {
        this(0);
    }
}
