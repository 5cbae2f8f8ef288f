package io.hirundo.dataloader.internal.indexed;

import io.hirundo.DataException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** How a dataset stores a token. Codes 6 and 7 of the format, floating-point numbers, hold no tokens and are rejected. */
public enum TokenType {
    U8(1, 1, 0, 0xFF),
    I8(2, 1, Byte.MIN_VALUE, Byte.MAX_VALUE),
    I16(3, 2, Short.MIN_VALUE, Short.MAX_VALUE),
    I32(4, 4, Integer.MIN_VALUE, Integer.MAX_VALUE),
    I64(5, 8, Integer.MIN_VALUE, Integer.MAX_VALUE),
    U16(8, 2, 0, 0xFFFF);

    /** Below this, Megatron's tools and ours write {@link #U16}. */
    private static final int SMALL_VOCABULARY = 65_500;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final int code;
    private final int bytes;
    private final int least;
    private final int most;

    TokenType(int code, int bytes, int least, int most) {
        this.code = code;
        this.bytes = bytes;
        this.least = least;
        this.most = most;
    }

    public int code() {
        return code;
    }

    /** Bytes of a token. */
    public int bytes() {
        return bytes;
    }

    public static TokenType forVocabulary(int vocabularySize) {
        return vocabularySize < SMALL_VOCABULARY ? U16 : I32;
    }

    /** The type of a code; null where it stands for no integers. */
    static TokenType ofCode(int code) {
        for (TokenType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return null;
    }

    /**
     * Copies tokens out of a file.
     *
     * @param at byte of the first one
     */
    void read(MemorySegment file, long at, int[] into, int first, int count) {
        switch (this) {
            case U8 -> {
                for (int i = 0; i < count; i++) {
                    into[first + i] = file.get(ValueLayout.JAVA_BYTE, at + i) & 0xFF;
                }
            }
            case I8 -> {
                for (int i = 0; i < count; i++) {
                    into[first + i] = file.get(ValueLayout.JAVA_BYTE, at + i);
                }
            }
            case U16 -> {
                for (int i = 0; i < count; i++) {
                    into[first + i] = file.get(SHORT, at + 2L * i) & 0xFFFF;
                }
            }
            case I16 -> {
                for (int i = 0; i < count; i++) {
                    into[first + i] = file.get(SHORT, at + 2L * i);
                }
            }
            case I32 -> MemorySegment.copy(file, INT, at, into, first, count);
            case I64 -> {
                for (int i = 0; i < count; i++) {
                    long token = file.get(LONG, at + 8L * i);
                    if (token != (int) token) {
                        throw new DataException("a token of " + token + " is no token of any vocabulary");
                    }
                    into[first + i] = (int) token;
                }
            }
        }
    }

    /**
     * Appends a token to a little-endian buffer with room for it.
     *
     * @throws DataException when the type cannot hold it
     */
    void put(int token, ByteBuffer buffer) {
        if (token < least || token > most) {
            throw new DataException("token " + token + " does not fit a dataset of " + this
                    + ": its tokenizer gives ids above its vocabulary");
        }
        switch (this) {
            case U8, I8 -> buffer.put((byte) token);
            case U16, I16 -> buffer.putShort((short) token);
            case I32 -> buffer.putInt(token);
            case I64 -> buffer.putLong(token);
        }
    }
}
