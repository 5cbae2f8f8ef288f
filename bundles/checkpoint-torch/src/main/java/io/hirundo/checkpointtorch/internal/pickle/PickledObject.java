package io.hirundo.checkpointtorch.internal.pickle;

import java.util.Optional;

/**
 * An object of Python as its pickle describes it: what would be called with which arguments, and the state that it would then be
 * given. Equal to itself only: what is in it may hold the object again.
 */
public final class PickledObject {
  private final PickledGlobal type;
  private final PickledTuple arguments;
  private Object state;

  PickledObject(PickledGlobal type, PickledTuple arguments) {
    this.type = type;
    this.arguments = arguments;
  }

  public PickledGlobal type() {
    return type;
  }

  public PickledTuple arguments() {
    return arguments;
  }

  /** Null where it has none. */
  public Object state() {
    return state;
  }

  /** False where it has a state already. */
  boolean build(Object given) {
    if (state != null) {
      return false;
    }
    state = given;
    return true;
  }

  /** A field, where the state is a dictionary that has it. */
  public Optional<Object> field(String name) {
    return state instanceof PickledDict fields ? fields.get(name) : Optional.empty();
  }
}
