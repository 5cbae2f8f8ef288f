package io.hirundo.checkpointtorch.internal.pickle;

import java.util.List;

/** A tuple. Equal to itself only: what is in it may hold the tuple again. */
public final class PickledTuple {
  private final List<Object> items;

  /** Keeps the list, which nobody else may change. */
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
