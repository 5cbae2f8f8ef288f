package io.hirundo.checkpointtorch.internal.pickle;

import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A pickle machine that executes nothing. It records calls as {@link PickledObject}, and rejects names that the caller does not allow and
 * operations that these files do not need. Time and memory are proportional to the input size for any input: no operation copies existing
 * values, and none recurses.
 *
 * <p>Values are null (None), {@link Boolean}, {@link Long}, {@link Double}, {@link String}, {@link java.nio.ByteBuffer}, and the
 * classes of this package.
 */
public final class Unpickler {
    private static final int LEAST_PROTOCOL = 2;
    private static final int MOST_PROTOCOL = 5;
    private static final PickledGlobal ORDERED_DICT = new PickledGlobal("collections", "OrderedDict");

    private final PickleInput input;
    private final Set<PickledGlobal> allowed;
    private final boolean hasReferences;
    private final PickleStack stack;
    private final Map<Long, Object> memo = new HashMap<>();

    private Unpickler(PickleInput input, Set<PickledGlobal> allowed, boolean hasReferences) {
        this.input = input;
        this.allowed = allowed;
        this.hasReferences = hasReferences;
        this.stack = new PickleStack(input);
    }

    /**
     * Reads a pickle's value.
     *
     * @param where name of the input, for messages
     * @param allowed names that may occur
     * @param hasReferences whether persistent ids may occur
     * @throws DataException names the rejected operation or name, and the byte
     */
    public static Object read(byte[] bytes, String where, Set<PickledGlobal> allowed, boolean hasReferences) {
        return new Unpickler(new PickleInput(bytes, where), allowed, hasReferences).run();
    }

    private Object run() {
        int protocol = input.unsignedByte() == Opcode.PROTO.code() ? input.unsignedByte() : 0;
        if (protocol < LEAST_PROTOCOL || protocol > MOST_PROTOCOL) {
            throw input.wrong("is not of the protocols " + LEAST_PROTOCOL + " to " + MOST_PROTOCOL);
        }
        while (true) {
            int code = input.unsignedByte();
            Opcode opcode = Opcode.of(code);
            if (opcode == null) {
                throw input.wrong("has the unknown operation " + code);
            }
            if (opcode == Opcode.STOP) {
                return stack.last();
            }
            step(opcode);
        }
    }

    private void step(Opcode opcode) {
        switch (opcode) {
            case FRAME -> input.requireRemaining(input.unsignedLong());
            case MARK -> stack.mark();
            case POP -> stack.popAnything();
            case POP_MARK -> stack.popToMark();
            case DUP -> stack.push(stack.top());
            case NONE -> stack.push(null);
            case NEWTRUE -> stack.push(true);
            case NEWFALSE -> stack.push(false);
            case BININT -> stack.push((long) input.signedInt());
            case BININT1 -> stack.push((long) input.unsignedByte());
            case BININT2 -> stack.push((long) input.unsignedShort());
            case LONG1 -> stack.push(input.whole(input.unsignedByte()));
            case LONG4 -> stack.push(input.whole(input.unsignedInt()));
            case BINFLOAT -> stack.push(input.bigEndianDouble());
            case SHORT_BINUNICODE -> stack.push(input.text(input.unsignedByte()));
            case BINUNICODE -> stack.push(input.text(input.unsignedInt()));
            case BINUNICODE8 -> stack.push(input.text(input.unsignedLong()));
            case SHORT_BINBYTES -> stack.push(input.binary(input.unsignedByte()));
            case BINBYTES -> stack.push(input.binary(input.unsignedInt()));
            case BINBYTES8 -> stack.push(input.binary(input.unsignedLong()));
            case BINPUT -> memo.put((long) input.unsignedByte(), stack.top());
            case LONG_BINPUT -> memo.put(input.unsignedInt(), stack.top());
            case MEMOIZE -> memo.put((long) memo.size(), stack.top());
            case BINGET -> stack.push(remembered(input.unsignedByte()));
            case LONG_BINGET -> stack.push(remembered(input.unsignedInt()));
            case EMPTY_TUPLE -> stack.push(new PickledTuple(List.of()));
            case TUPLE -> stack.push(new PickledTuple(stack.popToMark()));
            case TUPLE1 -> stack.push(new PickledTuple(stack.pop(1)));
            case TUPLE2 -> stack.push(new PickledTuple(stack.pop(2)));
            case TUPLE3 -> stack.push(new PickledTuple(stack.pop(3)));
            case EMPTY_LIST -> stack.push(new PickledList());
            case APPEND -> append(stack.pop(1));
            case APPENDS -> append(stack.popToMark());
            case EMPTY_DICT -> stack.push(new PickledDict());
            case SETITEM -> set(stack.pop(2));
            case SETITEMS -> set(stack.popToMark());
            case GLOBAL -> stack.push(named(input.line(), input.line()));
            case STACK_GLOBAL -> pushNamed(stack.pop(2));
            case REDUCE, NEWOBJ -> call(opcode, stack.pop(2));
            case BUILD -> build(stack.pop(1).getFirst());
            case BINPERSID -> refer();
            default -> throw input.wrong("has the operation " + opcode + ", which is not read");
        }
    }

    private Object remembered(long place) {
        Object value = memo.get(place);
        if (value == null && !memo.containsKey(place)) {
            throw input.wrong("refers to value " + place + ", which it has not");
        }
        return value;
    }

    private void append(List<Object> items) {
        if (!(stack.top() instanceof PickledList list)) {
            throw input.wrong("appends to something that is no list");
        }
        list.add(items);
    }

    private void set(List<Object> keysAndValues) {
        if (!(stack.top() instanceof PickledDict dict) || keysAndValues.size() % 2 != 0) {
            throw input.wrong("sets items of something that is no dictionary, or half an item");
        }
        dict.add(keysAndValues);
    }

    private PickledGlobal named(String module, String name) {
        var global = new PickledGlobal(module, name);
        if (!allowed.contains(global)) {
            throw input.wrong("asks for '" + Excerpt.of(global.toString())
                    + "', which a checkpoint's tensors do not need, so that it is not read");
        }
        return global;
    }

    private void pushNamed(List<Object> names) {
        if (!(names.get(0) instanceof String module) || !(names.get(1) instanceof String name)) {
            throw input.wrong("asks for something by what is no name");
        }
        stack.push(named(module, name));
    }

    private void call(Opcode opcode, List<Object> typeAndArguments) {
        if (!(typeAndArguments.get(0) instanceof PickledGlobal type)
                || !(typeAndArguments.get(1) instanceof PickledTuple arguments)) {
            throw input.wrong("has the operation " + opcode + " of something that is no class, or without arguments");
        }
        boolean isDict = type.equals(ORDERED_DICT) && arguments.size() == 0;
        stack.push(isDict ? new PickledDict() : new PickledObject(type, arguments));
    }

    private void build(Object state) {
        if (!(stack.top() instanceof PickledObject object) || !object.build(state)) {
            throw input.wrong("gives a state to something that takes none");
        }
    }

    private void refer() {
        if (!hasReferences) {
            throw input.wrong("has the operation " + Opcode.BINPERSID + ", which is not read");
        }
        stack.push(new PickledReference(stack.pop(1).getFirst()));
    }
}
