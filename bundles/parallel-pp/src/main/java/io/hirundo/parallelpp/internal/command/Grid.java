package io.hirundo.parallelpp.internal.command;

import io.hirundo.schedule.ActionTimes;

/**
 * Maps time to text columns.
 *
 * @param column duration of a column
 */
record Grid(double column) {
    private static final double TOLERANCE = 1e-6;

    private static final int FINEST = 8;

    /** The widest column that divides all times; if none of at least an eighth of the shortest does, times are rounded. */
    static Grid of(ActionTimes times) {
        double shortest = Math.min(times.forward(), Math.min(times.backwardInput(), times.backwardWeight()));
        for (int parts = 1; parts <= FINEST; parts++) {
            double column = shortest / parts;
            if (fills(times.forward(), column)
                    && fills(times.backwardInput(), column)
                    && fills(times.backwardWeight(), column)
                    && fills(times.transfer(), column)) {
                return new Grid(column);
            }
        }
        return new Grid(shortest / 2);
    }

    private static boolean fills(double time, double column) {
        return Math.abs(time / column - Math.rint(time / column)) < TOLERANCE;
    }

    /** The column of a time. */
    int at(double time) {
        return (int) Math.rint(time / column);
    }
}
