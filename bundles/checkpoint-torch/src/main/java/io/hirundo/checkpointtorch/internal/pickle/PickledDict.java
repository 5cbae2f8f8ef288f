package io.hirundo.checkpointtorch.internal.pickle;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A dictionary: keys and values in insertion order. Keys are not compared on insertion, because they may be anything: an equal key adds
 * another entry.
 */
public final class PickledDict {
    /** Size limit for lookups: objects' field dictionaries are small. */
    private static final int MOST_FIELDS = 64;

    private final List<Object> keysAndValues = new ArrayList<>();

    void add(List<Object> more) {
        keysAndValues.addAll(more);
    }

    public int size() {
        return keysAndValues.size() / 2;
    }

    public Object key(int index) {
        return keysAndValues.get(2 * index);
    }

    public Object value(int index) {
        return keysAndValues.get(2 * index + 1);
    }

    /** The value of a text key in a small dictionary; empty if missing or None. */
    public Optional<Object> get(String key) {
        for (int index = Math.min(size(), MOST_FIELDS) - 1; index >= 0; index--) {
            if (key.equals(key(index))) {
                return Optional.ofNullable(value(index));
            }
        }
        return Optional.empty();
    }
}
