package io.hirundo.monitor.internal.console;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code console}.
 *
 * @param everySteps steps between lines that stay; 0 for none on a terminal, and one about every two seconds elsewhere
 */
public record ConsoleOptions(
    @Setting(
            value =
                "Steps between progress lines that stay; 0 for one about every 2 s, or for the live line alone on a terminal",
            min = 0)
        long everySteps) {
  public ConsoleOptions() {
    this(0);
  }
}
