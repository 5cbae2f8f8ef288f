package io.hirundo.checkpointtorch.internal.pickle;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Puts a pickle together, operation by operation. */
final class PickleBytes {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    PickleBytes() {
        add(Opcode.PROTO, 4);
    }

    PickleBytes add(Opcode opcode, int... argument) {
        bytes.write(opcode.code());
        for (int each : argument) {
            bytes.write(each);
        }
        return this;
    }

    PickleBytes text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        add(Opcode.SHORT_BINUNICODE, utf8.length);
        bytes.writeBytes(utf8);
        return this;
    }

    PickleBytes global(String module, String name) {
        return text(module).text(name).add(Opcode.STACK_GLOBAL);
    }

    PickleBytes raw(String text) {
        bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** With the end. */
    byte[] done() {
        add(Opcode.STOP);
        return bytes.toByteArray();
    }
}
