package io.hirundo.checkpointtorch.internal.pickle;

/** The name of a Python class or function; never resolved or called. */
public record PickledGlobal(String module, String name) {
    @Override
    public String toString() {
        return module + "." + name;
    }
}
