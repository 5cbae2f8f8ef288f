package io.hirundo.parallelpp.internal.command;

import io.hirundo.schedule.ActionTimes;

/**
 * Time in columns of text.
 *
 * @param column how long a column is
 */
record Grid(double column) {
  private static final double TOLERANCE = 1e-6;

  private static final int FINEST = 8;

  /** The widest columns that all times fill wholly; where none up to an eighth of the shortest do, times are rounded. */
  static Grid of(ActionTimes times) {
    double shortest = Math.min(times.forward(), Math.min(times.backwardInput(), times.backwardWeight()));
    for (int parts = 1; parts <= FINEST; parts++) {
      double column = shortest / parts;
      if (fills(times.forward(), column) && fills(times.backwardInput(), column) && fills(times.backwardWeight(), column)
          && fills(times.transfer(), column)) {
        return new Grid(column);
      }
    }
    return new Grid(shortest / 2);
  }

  private static boolean fills(double time, double column) {
    return Math.abs(time / column - Math.rint(time / column)) < TOLERANCE;
  }

  /** Where a time is. */
  int at(double time) {
    return (int) Math.rint(time / column);
  }
}
