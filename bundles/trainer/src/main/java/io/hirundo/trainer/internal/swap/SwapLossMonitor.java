package io.hirundo.trainer.internal.swap;

import java.util.ArrayDeque;
import java.util.Deque;

/** Watches the loss after a swap: whether it rises above its mean of before by more than is allowed. */
public final class SwapLossMonitor {
  /** Enough that a single easy batch does not make the next one look like a jump. */
  private static final int MEAN_STEPS = 20;

  /** In nats. Of a loss below this a part is next to nothing, and any batch may rise by more. */
  private static final double NEXT_TO_NOTHING = 0.05;

  private final Deque<Double> before = new ArrayDeque<>();
  private double limit;
  private long stepsLeft;

  /** Takes note of a step's loss; whether it is a jump that the watch is there for. */
  public boolean jumpsAt(double loss) {
    if (stepsLeft > 0) {
      stepsLeft--;
      if (!(loss <= limit)) {
        stepsLeft = 0;
        return true;
      }
    }
    before.addLast(loss);
    if (before.size() > MEAN_STEPS) {
      before.removeFirst();
    }
    return false;
  }

  /**
   * Begins to watch; while it does so already, goes on with the mean of before the first change.
   *
   * @param rise allowed above the mean, as a part of it
   */
  public void begin(long steps, double rise) {
    if (!isOn()) {
      limit = mean() + rise * Math.max(mean(), NEXT_TO_NOTHING);
    }
    stepsLeft = before.isEmpty() ? 0 : steps;
  }

  public boolean isOn() {
    return stepsLeft > 0;
  }

  double mean() {
    return before.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  public double limit() {
    return limit;
  }
}
