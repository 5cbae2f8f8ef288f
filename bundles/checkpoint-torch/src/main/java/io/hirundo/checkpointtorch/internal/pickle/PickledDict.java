package io.hirundo.checkpointtorch.internal.pickle;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A dictionary: keys and values in the order in which they were set. Keys are not compared when they are set: they may be anything,
 * and a later value of an equal key is one more entry.
 */
public final class PickledDict {
  /** Fields of an object: dictionaries that are larger are not searched. */
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

  /** The value of a text in a small dictionary; empty where there is none or it is None. */
  public Optional<Object> get(String key) {
    for (int index = Math.min(size(), MOST_FIELDS) - 1; index >= 0; index--) {
      if (key.equals(key(index))) {
        return Optional.ofNullable(value(index));
      }
    }
    return Optional.empty();
  }
}
