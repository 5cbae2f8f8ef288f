package io.hirundo.monitor.internal.console;

import java.util.Arrays;

/** The pace of the last steps: at most {@link #MOST}, and of a young run the last third, for it begins with warm-up. */
final class RecentSteps {
  private static final int MOST = 64;
  private static final int LEAST = 3;

  /** A single step of an hour, on a machine that slept, must not become an estimate of days. */
  private static final double MOST_MEDIANS = 3;

  private final double[] ring = new double[MOST];
  private long count;

  void add(double nanos) {
    ring[(int) (count % MOST)] = nanos;
    count++;
  }

  /** Mean of the last steps, none of them counted for more than thrice their median; 0 before the first. */
  double meanNanos() {
    int recent = (int) Math.min(count, Math.clamp(count / 3, LEAST, MOST));
    if (recent == 0) {
      return 0;
    }
    double[] nanos = new double[recent];
    for (int i = 0; i < recent; i++) {
      nanos[i] = ring[(int) ((count - 1 - i) % MOST)];
    }
    Arrays.sort(nanos);
    double limit = MOST_MEDIANS * nanos[(recent - 1) / 2];
    return Arrays.stream(nanos).map(each -> Math.min(each, limit)).average().orElseThrow();
  }
}
