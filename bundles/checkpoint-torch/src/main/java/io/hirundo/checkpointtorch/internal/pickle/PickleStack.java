package io.hirundo.checkpointtorch.internal.pickle;

import java.util.ArrayList;
import java.util.List;

/** The stack of the pickle machine: values and marks. Rejects access to missing values. */
final class PickleStack {
    private final PickleInput input;
    private final List<Object> values = new ArrayList<>();
    private final List<Integer> marks = new ArrayList<>();

    PickleStack(PickleInput input) {
        this.input = input;
    }

    void push(Object value) {
        values.add(value);
    }

    void mark() {
        marks.add(values.size());
    }

    Object top() {
        requireAboveMark(1);
        return values.getLast();
    }

    /** The single remaining value. */
    Object last() {
        if (values.size() != 1 || !marks.isEmpty()) {
            throw input.wrong(
                    "ends with " + values.size() + " values and " + marks.size() + " marks, where one value should be");
        }
        return values.getFirst();
    }

    /** The last values, in the order in which they were pushed. */
    List<Object> pop(int count) {
        requireAboveMark(count);
        return cut(values.size() - count);
    }

    /** Pops all values above the last mark, and the mark. */
    List<Object> popToMark() {
        if (marks.isEmpty()) {
            throw input.wrong("takes values down to a mark that is not there");
        }
        return cut(marks.removeLast());
    }

    /** Pops the last value or mark. */
    void popAnything() {
        if (!marks.isEmpty() && marks.getLast() == values.size()) {
            marks.removeLast();
        } else {
            pop(1);
        }
    }

    private List<Object> cut(int from) {
        List<Object> tail = values.subList(from, values.size());
        List<Object> taken = new ArrayList<>(tail);
        tail.clear();
        return taken;
    }

    private void requireAboveMark(int count) {
        int lowest = marks.isEmpty() ? 0 : marks.getLast();
        if (values.size() - lowest < count) {
            throw input.wrong("takes a value that is not there");
        }
    }
}
