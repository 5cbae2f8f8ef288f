package io.hirundo.checkpointtorch.internal.pickle;

/** A class or function of Python by its name: nothing is looked up, nothing can be called. */
public record PickledGlobal(String module, String name) {
  @Override
  public String toString() {
    return module + "." + name;
  }
}
