package io.hirundo.checkpointtorch.internal.pickle;

import java.util.ArrayList;
import java.util.List;

/** A list. Identity equality: it may contain itself. */
public final class PickledList {
    private final List<Object> items = new ArrayList<>();

    void add(List<Object> more) {
        items.addAll(more);
    }

    public int size() {
        return items.size();
    }

    public Object get(int index) {
        return items.get(index);
    }
}
