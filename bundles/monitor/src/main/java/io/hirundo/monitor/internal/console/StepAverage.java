package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingEvent.StepMetrics;

/** Speed over the last steps, so that one slow step does not shake the figures. */
final class StepAverage {
  /** Weight of a new step, once there are more than its inverse. */
  private static final double NEWEST = 0.1;

  private long steps;
  private double stepNanos;
  private double tokens;
  private double flops;
  private long allNanos;
  private long allTokens;

  void add(StepMetrics metrics) {
    steps++;
    double weight = Math.max(NEWEST, 1.0 / steps);
    stepNanos += weight * (metrics.stepNanos() - stepNanos);
    tokens += weight * (metrics.tokens() - tokens);
    flops += weight * (metrics.modelFlops() - flops);
    allNanos += metrics.stepNanos();
    allTokens += metrics.tokens();
  }

  boolean isEmpty() {
    return steps == 0;
  }

  double tokensPerSecond() {
    return tokens * 1e9 / stepNanos;
  }

  double modelTflops() {
    return flops / 1e3 / stepNanos;
  }

  /** Over all steps. */
  double overallTokensPerSecond() {
    return allTokens * 1e9 / allNanos;
  }
}
