package io.hirundo.checkpointtorch.internal.pickle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

class UnpicklerTest {
    private static final PickledGlobal POINT = new PickledGlobal("shapes", "Point");
    private static final Set<PickledGlobal> ALLOWED = Set.of(POINT, new PickledGlobal("collections", "OrderedDict"));

    private static Object read(PickleBytes pickle) {
        return Unpickler.read(pickle.done(), "here", ALLOWED, false);
    }

    private static void rejects(PickleBytes pickle, String message) {
        var rejection = assertThrows(DataException.class, () -> read(pickle));
        assertTrue(rejection.getMessage().startsWith("here: the pickle "), rejection.getMessage());
        assertTrue(rejection.getMessage().contains(message), rejection.getMessage());
    }

    private static PickleBytes pickle() {
        return new PickleBytes();
    }

    @Test
    void readsPlainValues() {
        assertNull(read(pickle().add(Opcode.NONE)));
        assertEquals(true, read(pickle().add(Opcode.NEWTRUE)));
        assertEquals(false, read(pickle().add(Opcode.NEWFALSE)));
        assertEquals(255L, read(pickle().add(Opcode.BININT1, 255)));
        assertEquals(65534L, read(pickle().add(Opcode.BININT2, 254, 255)));
        assertEquals(-2L, read(pickle().add(Opcode.BININT, 254, 255, 255, 255)));
        assertEquals(0L, read(pickle().add(Opcode.LONG1, 0)));
        assertEquals(-1L, read(pickle().add(Opcode.LONG1, 1, 255)));
        assertEquals(1L << 40, read(pickle().add(Opcode.LONG1, 6, 0, 0, 0, 0, 0, 1)));
        assertEquals(255L, read(pickle().add(Opcode.LONG4, 2, 0, 0, 0, 255, 0)));
        assertEquals(1.5, read(pickle().add(Opcode.BINFLOAT, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0)));
        assertEquals("größe", read(pickle().text("größe")));
        assertEquals("ab", read(pickle().add(Opcode.BINUNICODE, 2, 0, 0, 0).raw("ab")));
        assertEquals(
                "ab",
                read(pickle().add(Opcode.BINUNICODE8, 2, 0, 0, 0, 0, 0, 0, 0).raw("ab")));
        assertEquals(ByteBuffer.wrap(new byte[] {7, 8}), read(pickle().add(Opcode.SHORT_BINBYTES, 2, 7, 8)));
    }

    @Test
    void keepsTheOrderOfCollections() {
        var list = (PickledList) read(pickle().add(Opcode.EMPTY_LIST)
                .add(Opcode.MARK)
                .text("a")
                .text("b")
                .add(Opcode.APPENDS)
                .text("c")
                .add(Opcode.APPEND));
        assertEquals(3, list.size());
        assertEquals("c", list.get(2));
        var dict = (PickledDict) read(pickle().global("collections", "OrderedDict")
                .add(Opcode.EMPTY_TUPLE)
                .add(Opcode.REDUCE)
                .text("k")
                .text("v")
                .add(Opcode.SETITEM)
                .add(Opcode.MARK)
                .text("l")
                .text("w")
                .add(Opcode.SETITEMS));
        assertEquals("v", dict.get("k").orElseThrow());
        assertEquals("w", dict.value(1));
        var tuple = (PickledTuple) read(pickle().add(Opcode.MARK)
                .text("a")
                .text("b")
                .text("c")
                .text("d")
                .add(Opcode.TUPLE));
        assertEquals(4, tuple.size());
        assertEquals("b", ((PickledTuple) read(pickle().text("a").text("b").add(Opcode.TUPLE2))).get(1));
    }

    /** Written down, not made. */
    @Test
    void readsObjectsAsNamesWithArgumentsAndState() {
        var object = assertInstanceOf(
                PickledObject.class,
                read(pickle().global("shapes", "Point")
                        .add(Opcode.BININT1, 3)
                        .add(Opcode.TUPLE1)
                        .add(Opcode.REDUCE)
                        .add(Opcode.EMPTY_DICT)
                        .text("x")
                        .text("y")
                        .add(Opcode.SETITEM)
                        .add(Opcode.BUILD)));
        assertEquals(POINT, object.type());
        assertEquals(3L, object.arguments().get(0));
        assertEquals("y", object.field("x").orElseThrow());
        assertTrue(object.field("z").isEmpty());
        var old = (PickledObject) Unpickler.read(
                pickle().add(Opcode.GLOBAL)
                        .raw("shapes\nPoint\n")
                        .add(Opcode.EMPTY_TUPLE)
                        .add(Opcode.NEWOBJ)
                        .done(),
                "here",
                ALLOWED,
                false);
        assertEquals(POINT, old.type());
    }

    @Test
    void memoReturnsTheSameValue() {
        var tuple = (PickledTuple) read(pickle().add(Opcode.EMPTY_LIST)
                .add(Opcode.MEMOIZE)
                .add(Opcode.BINPUT, 200)
                .add(Opcode.BINGET, 0)
                .add(Opcode.LONG_BINGET, 200, 0, 0, 0)
                .add(Opcode.TUPLE3));
        assertSame(tuple.get(0), tuple.get(1));
        assertSame(tuple.get(0), tuple.get(2));
        rejects(pickle().add(Opcode.BINGET, 9), "refers to value 9, which it has not");
    }

    /** A list in itself: read, and nobody follows it. */
    @Test
    void readsValuesThatContainThemselves() {
        var list = (PickledList) read(pickle().add(Opcode.EMPTY_LIST)
                .add(Opcode.MEMOIZE)
                .add(Opcode.BINGET, 0)
                .add(Opcode.APPEND));
        assertSame(list, list.get(0));
    }

    @Test
    void readsDeepNestingWithoutRecursion() {
        var deep = pickle().add(Opcode.NONE);
        for (int level = 0; level < 1_000_000; level++) {
            deep.add(Opcode.TUPLE1);
        }
        assertInstanceOf(PickledTuple.class, read(deep));
    }

    @Test
    void rejectsForbiddenNames() {
        rejects(pickle().global("os", "system"), "asks for 'os.system'");
        rejects(pickle().add(Opcode.GLOBAL).raw("builtins\neval\n"), "asks for 'builtins.eval'");
        rejects(pickle().global("shapes", "Point.__init__"), "asks for 'shapes.Point.__init__'");
        rejects(pickle().global("x".repeat(255), "y"), "asks for 'xxx");
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            mode = Mode.INCLUDE,
            names = {
                "FLOAT",
                "INT",
                "LONG",
                "PERSID",
                "BINPERSID",
                "STRING",
                "BINSTRING",
                "SHORT_BINSTRING",
                "UNICODE",
                "DICT",
                "GET",
                "INST",
                "LIST",
                "OBJ",
                "PUT",
                "EXT1",
                "EXT2",
                "EXT4",
                "EMPTY_SET",
                "ADDITEMS",
                "FROZENSET",
                "NEWOBJ_EX",
                "BYTEARRAY8",
                "NEXT_BUFFER",
                "READONLY_BUFFER",
                "PROTO"
            })
    void rejectsOtherOperationsByName(Opcode opcode) {
        rejects(pickle().add(Opcode.NONE).add(opcode), "has the operation " + opcode + ", which is not read");
    }

    /** Every operation on an empty stack either works or is rejected; none fails in another way. */
    @ParameterizedTest
    @EnumSource(Opcode.class)
    void rejectsOperationsWithoutTheirArguments(Opcode opcode) {
        try {
            read(pickle().add(opcode));
        } catch (DataException e) {
            assertTrue(e.getMessage().startsWith("here: the pickle "), e.getMessage());
        }
    }

    @Test
    void rejectsInvalidOperations() {
        rejects(pickle(), "ends with 0 values");
        rejects(pickle().add(Opcode.NONE).add(Opcode.NONE), "ends with 2 values");
        rejects(pickle().add(Opcode.MARK).add(Opcode.NONE), "and 1 marks");
        rejects(pickle().add(Opcode.NONE).add(Opcode.MARK).add(Opcode.TUPLE1), "takes a value that is not there");
        rejects(pickle().add(Opcode.TUPLE), "a mark that is not there");
        rejects(pickle().add(Opcode.NONE).add(Opcode.NONE).add(Opcode.APPEND), "something that is no list");
        rejects(
                pickle().add(Opcode.EMPTY_DICT)
                        .add(Opcode.MARK)
                        .add(Opcode.NONE)
                        .add(Opcode.SETITEMS),
                "half an item");
        rejects(
                pickle().text("f").add(Opcode.EMPTY_TUPLE).add(Opcode.REDUCE),
                "the operation REDUCE of something that is no class");
        rejects(
                pickle().add(Opcode.NONE).add(Opcode.NONE).add(Opcode.BUILD),
                "gives a state to something that takes none");
        rejects(pickle().add(Opcode.LONG1, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1), "a whole number of 9 bytes");
        rejects(pickle().add(Opcode.SHORT_BINUNICODE, 1, 0xff), "a text that is not UTF-8");
        rejects(pickle().raw("\u00ff"), "the unknown operation 255");
    }

    /** Lengths are used after they were checked. */
    @Test
    void allocatesNothingForLengthsPastTheEnd() {
        rejects(pickle().add(Opcode.BINUNICODE, 255, 255, 255, 255), "where 4294967295 more were to follow");
        rejects(
                pickle().add(Opcode.BINBYTES8, 255, 255, 255, 255, 255, 255, 255, 127),
                "where 9223372036854775807 more");
        rejects(pickle().add(Opcode.BINUNICODE8, 0, 0, 0, 0, 0, 0, 0, 128), "counts 9223372036854775808 bytes");
        rejects(pickle().add(Opcode.FRAME, 0, 0, 0, 1, 0, 0, 0, 0), "where 16777216 more");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "N.", "\u0080", "\u0080\u0001N.", "\u0080\u0006N.", "\u0080\u0004", "PK\u0003\u0004"})
    void rejectsBytesThatAreNotAPickle(String bytes) {
        byte[] pickle = bytes.getBytes(StandardCharsets.ISO_8859_1);
        assertThrows(DataException.class, () -> Unpickler.read(pickle, "here", ALLOWED, false));
    }

    @Test
    void readsReferencesOnlyIfAllowed() {
        byte[] pickle = pickle().text("0").add(Opcode.BINPERSID).done();
        assertEquals("0", ((PickledReference) Unpickler.read(pickle, "here", ALLOWED, true)).id());
    }
}
