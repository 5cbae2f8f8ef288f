package io.hirundo.gpusuite.internal.bench;

import io.hirundo.device.Queue;

/**
 * How long work on a queue takes, by the host's clock: after a turn that does not count, turns enough that launches do not matter.
 *
 * @param allSeconds about as long as all turns together take; a turn that takes longer is done once
 */
record Timing(double allSeconds) {
  /** As {@code torch_side.py} does it. */
  static final Timing USUAL = new Timing(0.1);

  private static final int MOST_TURNS = 1000;

  /** Seconds of a turn. */
  double seconds(Queue queue, Runnable turn) {
    turns(queue, turn, 1);
    double one = turns(queue, turn, 1);
    int turns = (int) Math.clamp(allSeconds / one, 1, MOST_TURNS);
    return turns == 1 ? one : turns(queue, turn, turns) / turns;
  }

  private static double turns(Queue queue, Runnable turn, int count) {
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      turn.run();
    }
    queue.drain();
    // A clock that has not moved is no reason to divide by 0.
    return Math.max(1, System.nanoTime() - begin) / 1e9;
  }
}
