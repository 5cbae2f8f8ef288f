package io.hirundo.lib.fabric.local;

import io.hirundo.lib.fabric.Call;
import java.util.ArrayList;
import java.util.List;

/** Which ranks have called a collective and how far their lanes are, and messages that say so. Guarded by the world's lock, as the arrays are. */
final class Attendance {
    private final List<Integer> ranks;
    private final Call[] calls;
    private final int[] passed;
    private final String title;

    /**
     * @param ranks of the world, by place
     * @param calls by place; null of a rank that has not called
     * @param passed by place, the point at which its lane is
     * @param title number and group
     */
    Attendance(List<Integer> ranks, Call[] calls, int[] passed, String title) {
        this.ranks = ranks;
        this.calls = calls;
        this.passed = passed;
        this.title = title;
    }

    boolean allPassed(int point) {
        for (int at : passed) {
            if (at < point) {
                return false;
            }
        }
        return true;
    }

    String overdue(int place, int seconds) {
        return "rank " + ranks.get(place) + " waited " + seconds + " s for " + name(calls[place]) + ": " + missing();
    }

    /** A rank calls something else than the ranks before it. */
    String unlike(int place, Call call, Call others) {
        return "rank " + ranks.get(place) + " called " + call.signature() + " as " + title + ", expected was what "
                + callers() + " called, " + others.signature();
    }

    /** A rank has closed its world, but others wait for it. */
    String closed(int place, Call waiting) {
        return "rank " + ranks.get(place) + " closed its world while " + callers() + " waited for it in "
                + name(waiting);
    }

    /** As in {@code all-reduce SUM of 12 FP32, number 3 along [DATA] (ranks [0, 1])}. */
    String name(Call call) {
        return call.signature() + ", " + title;
    }

    /** Why a collective does not end: as in {@code rank 1 did not call it}. */
    private String missing() {
        boolean[] called = calledPlaces();
        boolean[] absent = new boolean[calls.length];
        boolean[] unready = new boolean[calls.length];
        for (int i = 0; i < calls.length; i++) {
            absent[i] = !called[i];
            unready[i] = called[i] && passed[i] < LocalCollective.READY;
        }
        if (any(absent)) {
            return ranksWhere(absent) + " did not call it";
        }
        return any(unready)
                ? ranksWhere(unready) + " called it, but earlier work has not finished"
                : "all ranks called it, but it has not finished";
    }

    /** Those that have called. */
    private String callers() {
        return ranksWhere(calledPlaces());
    }

    private boolean[] calledPlaces() {
        boolean[] called = new boolean[calls.length];
        for (int i = 0; i < calls.length; i++) {
            called[i] = calls[i] != null;
        }
        return called;
    }

    private static boolean any(boolean[] places) {
        for (boolean place : places) {
            if (place) {
                return true;
            }
        }
        return false;
    }

    /** As in {@code rank 1} or {@code ranks [0, 2]}. */
    private String ranksWhere(boolean[] places) {
        var chosen = new ArrayList<Integer>();
        for (int i = 0; i < places.length; i++) {
            if (places[i]) {
                chosen.add(ranks.get(i));
            }
        }
        return chosen.size() == 1 ? "rank " + chosen.getFirst() : "ranks " + chosen;
    }
}
