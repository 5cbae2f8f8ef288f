package io.hirundo.checkpointtorch.internal.pickle;

import java.util.Optional;

/**
 * A Python object as pickled: the callable's name, its arguments, and the object's state. Identity equality: its values may contain the
 * object.
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

    /** The state, or null. */
    public Object state() {
        return state;
    }

    /** False if it has a state already. */
    boolean build(Object given) {
        if (state != null) {
            return false;
        }
        state = given;
        return true;
    }

    /** A field of the state, if the state is a dictionary that has it. */
    public Optional<Object> field(String name) {
        return state instanceof PickledDict fields ? fields.get(name) : Optional.empty();
    }
}
