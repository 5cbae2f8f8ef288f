package io.hirundo.checkpointtorch.internal.pickle;

import io.hirundo.DataException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The bytes of a pickle, read in order and with bounds checks. */
final class PickleInput {
    private static final int MOST_SHOWN = 200;

    private final ByteBuffer bytes;
    private final String where;

    /** {@code where}: name of the bytes, for messages. */
    PickleInput(byte[] bytes, String where) {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.where = where;
    }

    int position() {
        return bytes.position();
    }

    int unsignedByte() {
        return next(1).get() & 0xff;
    }

    int unsignedShort() {
        return next(2).getShort() & 0xffff;
    }

    int signedInt() {
        return next(4).getInt();
    }

    long unsignedInt() {
        return next(4).getInt() & 0xffff_ffffL;
    }

    /** A byte count, not negative. */
    long unsignedLong() {
        long value = next(8).getLong();
        if (value < 0) {
            throw wrong("counts " + Long.toUnsignedString(value) + " bytes");
        }
        return value;
    }

    /** The only big-endian number in a pickle. */
    double bigEndianDouble() {
        return Double.longBitsToDouble(Long.reverseBytes(next(8).getLong()));
    }

    /** An integer in two's complement. */
    long whole(long length) {
        if (length > Long.BYTES) {
            throw wrong("has a whole number of " + length + " bytes, where at most " + Long.BYTES + " are read");
        }
        ByteBuffer digits = next(length);
        long value = 0;
        for (int index = 0; index < length; index++) {
            value |= (digits.get() & 0xffL) << Byte.SIZE * index;
        }
        int unused = Long.SIZE - Byte.SIZE * (int) length;
        return length == 0 ? 0 : value << unused >> unused;
    }

    String text(long length) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(next(length)).toString();
        } catch (CharacterCodingException e) {
            throw new DataException(wrong("has a text that is not UTF-8").getMessage(), e);
        }
    }

    /** Reads up to the end of a line and skips the line break. */
    String line() {
        int length = 0;
        while (length < bytes.remaining() && bytes.get(bytes.position() + length) != '\n') {
            length++;
        }
        String line = text(length);
        unsignedByte();
        return line;
    }

    ByteBuffer binary(long length) {
        return next(length);
    }

    /** Rejects a count of more bytes than remain. */
    void requireRemaining(long length) {
        if (length > bytes.remaining()) {
            throw wrong("ends at byte " + bytes.limit() + ", where " + length + " more were to follow");
        }
    }

    private ByteBuffer next(long length) {
        requireRemaining(length);
        ByteBuffer slice = bytes.slice(bytes.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.position(bytes.position() + (int) length);
        return slice;
    }

    /** An error at this position of the pickle. */
    DataException wrong(String what) {
        String shown = what.length() > MOST_SHOWN ? what.substring(0, MOST_SHOWN) + "..." : what;
        return new DataException(
                where + ": the pickle " + shown + " (at byte " + position() + "); it is damaged or of another kind");
    }
}
