package io.hirundo.checkpointtorch.internal.pickle;

import java.util.List;

/** A tuple. Identity equality: its values may contain the tuple. */
public final class PickledTuple {
    private final List<Object> items;

    /** Keeps the list, which the caller must not change. */
    PickledTuple(List<Object> items) {
        this.items = items;
    }

    public int size() {
        return items.size();
    }

    public Object get(int index) {
        return items.get(index);
    }
}
