package io.hirundo.train;

import java.util.List;

/**
 * A setting that {@link RunControl#change} takes while the run goes on.
 *
 * @param path in the configuration: {@code training.clipNorm}, {@code learningRate.options.peak}
 * @param value that it has now, as compact JSON
 * @param alternatives what it may be where that is one of a few values; empty where it is a number or text
 */
public record RunSetting(String path, String value, List<Alternative> alternatives) {
  /**
   * A value that a setting may have.
   *
   * @param value a strategy's name, a constant, {@code true}
   * @param options names of a strategy's options; empty where it has none, and for what is no strategy
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
