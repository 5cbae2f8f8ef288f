package io.hirundo.tokenizerhf.internal.safety;

import java.util.List;

/**
 * Backtracking cost of a part of a regular expression at one position.
 *
 * @param ways number of ways to match; a failing later part makes the matcher try them all
 * @param first failing attempts before the first match, or before it gives up
 * @param all failing attempts until every way has been tried
 * @param mayFail whether some text does not match
 * @param mayBeEmpty whether it can match the empty string
 */
record Part(Cost ways, Cost first, Cost all, boolean mayFail, boolean mayBeEmpty) {
    static final Part CHARACTER = new Part(Cost.ONE, Cost.ONE, Cost.ONE, true, false);
    static final Part ASSERTION = new Part(Cost.ONE, Cost.ONE, Cost.ONE, true, true);
    static final Part NOTHING = new Part(Cost.ONE, Cost.ZERO, Cost.ZERO, false, true);

    /** Concatenation. */
    static Part sequence(List<Part> parts) {
        int lastThatMayFail = -1;
        for (int i = 0; i < parts.size(); i++) {
            lastThatMayFail = parts.get(i).mayFail ? i : lastThatMayFail;
        }
        Cost ways = Cost.ONE;
        Cost first = Cost.ZERO;
        Cost all = Cost.ZERO;
        boolean mayBeEmpty = true;
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            // Parts after the last one that may fail match at their first attempt, and are never retried.
            first = first.plus(
                    i < lastThatMayFail
                            ? ways.times(part.all)
                            : i == lastThatMayFail ? ways.times(part.first) : part.first);
            all = all.plus(ways.times(part.all));
            ways = ways.times(part.ways);
            mayBeEmpty &= part.mayBeEmpty;
        }
        return new Part(ways, first, all, lastThatMayFail >= 0, mayBeEmpty);
    }

    /** Alternation: the first match wins. */
    static Part alternatives(List<Part> parts) {
        Part sum = parts.getFirst();
        for (Part part : parts.subList(1, parts.size())) {
            sum = new Part(
                    sum.ways.plus(part.ways),
                    sum.first.plus(part.first),
                    sum.all.plus(part.all),
                    sum.mayFail && part.mayFail,
                    sum.mayBeEmpty || part.mayBeEmpty);
        }
        return sum;
    }

    /** An atomic group: never re-entered after a match. */
    Part atomic() {
        return new Part(Cost.ONE, first, first, mayFail, mayBeEmpty);
    }

    /** A lookahead or lookbehind. */
    Part lookaround() {
        return new Part(Cost.ONE, first.plus(Cost.ONE), first.plus(Cost.ONE), true, true);
    }

    /** Repeats this part; {@code most} is {@link Integer#MAX_VALUE} for any number. */
    Part repeated(int least, int most) {
        boolean canFail = least > 0 && mayFail;
        boolean canBeEmpty = least == 0 || mayBeEmpty;
        if (most <= 1) {
            return least == 1
                    ? this
                    : new Part(ways.plus(Cost.ONE), first.plus(Cost.ONE), all.plus(Cost.ONE), canFail, canBeEmpty);
        }
        boolean endless = most == Integer.MAX_VALUE;
        if (equals(CHARACTER)) {
            if (endless) {
                return new Part(Cost.PER_CHARACTER, Cost.ONE, Cost.PER_CHARACTER, canFail, canBeEmpty);
            }
            // At least the number of failures, so nested bounds hold.
            Cost characters = new Cost(most, 0);
            return new Part(new Cost(most - least + 1.0, 0), characters, characters, canFail, canBeEmpty);
        }
        if (mayBeEmpty) {
            return new Part(Cost.UNBOUNDED, Cost.UNBOUNDED, Cost.UNBOUNDED, canFail, true);
        }
        Cost count = endless ? Cost.PER_CHARACTER : new Cost(most, 0);
        if (ways.equals(Cost.ONE)) {
            return new Part(
                    least == most ? Cost.ONE : count, count.times(first), count.times(all), canFail, canBeEmpty);
        }
        // Ways multiply with each round. The first match stays cheap if one round suffices: when another round fails,
        // the rounds so far are
        // the match.
        return new Part(
                Cost.UNBOUNDED, least <= 1 ? count.times(first) : Cost.UNBOUNDED, Cost.UNBOUNDED, canFail, canBeEmpty);
    }
}
