package io.hirundo.lib.engine.rank;

import java.util.ArrayList;
import java.util.List;

/** Formats rank numbers: {@code 0-3, 8, 12-15}. */
public final class RankNumbers {
    private RankNumbers() {}

    /** {@code ascending} numbers, at least one. */
    public static String of(List<Integer> ascending) {
        var ranges = new ArrayList<String>();
        int first = ascending.getFirst();
        int last = first;
        for (int number : ascending.subList(1, ascending.size())) {
            if (number != last + 1) {
                ranges.add(range(first, last));
                first = number;
            }
            last = number;
        }
        ranges.add(range(first, last));
        return String.join(", ", ranges);
    }

    private static String range(int first, int last) {
        return first == last ? String.valueOf(first) : first + "-" + last;
    }
}
