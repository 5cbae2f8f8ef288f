package io.hirundo.dataloader.internal.indexed;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.lib.input.MappedFault;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;

/**
 * An {@code .idx} file, mapped. Little-endian: {@code MMIDIDX\0\0}, u64 version 1, u8 token type, u64 sequences N, u64
 * document borders D; then from byte 34 on i32 lengths[N], i64 byte pointers[N], i64 document borders[D], the first 0 and
 * the last N. The 64-bit fields are not aligned.
 */
final class DatasetIndex {
    static final byte[] MAGIC = "MMIDIDX\0\0".getBytes(StandardCharsets.ISO_8859_1);
    static final long VERSION = 1;
    static final int HEADER_BYTES = 34;
    private static final String MAKE_AGAIN = "; make the dataset again, or copy its files again";

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Path file;
    private final Stop stop;
    private final MemorySegment segment;
    private final TokenType type;
    private final int sequences;
    private final long borders;
    private final long tokens;

    private DatasetIndex(Path file, MemorySegment segment, Stop stop) {
        this.file = file;
        this.stop = stop;
        this.segment = segment;
        type = checkHeader();
        long count = segment.get(LONG, 18);
        borders = segment.get(LONG, 26);
        checkSize(count, borders);
        sequences = (int) count;
        tokens = checkSequences();
        checkBorders();
    }

    /**
     * Maps an index for as long as the arena lives, and checks all of it.
     *
     * @param stop ends the check
     * @throws DataException that names the file and its fault
     */
    static DatasetIndex open(Path file, Arena arena, Stop stop) {
        try {
            var index = new DatasetIndex(file, MappedFiles.map(file, arena), stop);
            MappedFault.await();
            return index;
        } catch (InternalError failure) {
            throw MappedFiles.fault(file, failure);
        }
    }

    private TokenType checkHeader() {
        if (segment.byteSize() < HEADER_BYTES) {
            throw fault("is cut short: " + segment.byteSize() + " bytes do not even hold its header" + MAKE_AGAIN);
        }
        if (segment.asSlice(0, MAGIC.length).mismatch(MemorySegment.ofArray(MAGIC)) >= 0) {
            throw fault(
                    "is no index of a dataset: it does not begin with MMIDIDX; give the prefix of a .bin and .idx pair");
        }
        long version = segment.get(LONG, 9);
        if (version != VERSION) {
            throw fault("has version " + version + " of its format; only version 1 is known");
        }
        int code = segment.get(ValueLayout.JAVA_BYTE, 17);
        TokenType known = TokenType.ofCode(code);
        if (known == null) {
            throw fault(
                    code == 6 || code == 7
                            ? "belongs to a dataset of floating-point numbers (type code " + code
                                    + "), which are no tokens"
                            : "has the unknown token type code " + code + "; known are 1 to 5 and 8" + MAKE_AGAIN);
        }
        return known;
    }

    private void checkSize(long count, long borderCount) {
        long bytes = segment.byteSize();
        // Bounds first: a damaged count must not overflow the sum below.
        if (count < 0 || borderCount < 1 || count > Integer.MAX_VALUE || borderCount > (1L << 40)) {
            throw fault("counts " + count + " sequences and " + borderCount + " document borders, which cannot be"
                    + MAKE_AGAIN);
        }
        long expected = HEADER_BYTES + 12 * count + 8 * borderCount;
        if (bytes == expected + count && count > 0) {
            throw fault("holds modes of a multimodal dataset; only text can be trained on");
        }
        if (bytes != expected) {
            throw fault((bytes < expected ? "is cut short: " : "is too long: ") + bytes + " bytes, but its " + count
                    + " sequences and " + borderCount + " document borders take " + expected + MAKE_AGAIN);
        }
        if (count == 0) {
            throw fault("holds no sequences: there is nothing to train on");
        }
    }

    private long checkSequences() {
        long expected = 0;
        for (int i = 0; i < sequences; i++) {
            if ((i & Stop.EVERY) == 0) {
                stop.check(file);
            }
            int length = length(i);
            if (length < 0) {
                throw fault("gives sequence " + i + " the length " + length + MAKE_AGAIN);
            }
            long pointer = pointer(i);
            if (pointer != expected) {
                throw fault(
                        "lets sequence " + i + " begin at byte " + pointer + " instead of " + expected + MAKE_AGAIN);
            }
            expected += (long) length * type.bytes();
        }
        return expected / type.bytes();
    }

    private void checkBorders() {
        long at = HEADER_BYTES + 12L * sequences;
        long previous = 0;
        for (long i = 0; i < borders; i++) {
            if ((i & Stop.EVERY) == 0) {
                stop.check(file);
            }
            long border = segment.get(LONG, at + 8 * i);
            if (border < previous || (i == 0 && border != 0)) {
                throw fault("lets document " + i + " begin at sequence " + border + ", after " + previous + MAKE_AGAIN);
            }
            previous = border;
        }
        if (previous != sequences) {
            throw fault("ends its documents at sequence " + previous + " of " + sequences + MAKE_AGAIN);
        }
    }

    private DataException fault(String what) {
        return new DataException(file + " " + what);
    }

    /** All of the file. */
    MemorySegment segment() {
        return segment;
    }

    TokenType type() {
        return type;
    }

    int sequences() {
        return sequences;
    }

    long documents() {
        return borders - 1;
    }

    /** Tokens of all sequences. */
    long tokens() {
        return tokens;
    }

    /** Tokens of a sequence. */
    int length(int sequence) {
        try {
            int length = segment.get(INT, HEADER_BYTES + 4L * sequence);
            MappedFault.await();
            return length;
        } catch (InternalError failure) {
            throw MappedFiles.fault(file, failure);
        }
    }

    /** Tokens before a sequence; of one after the last, all. */
    long firstToken(int sequence) {
        return sequence == sequences ? tokens : pointer(sequence) / type.bytes();
    }

    /** The sequence that holds a token of the dataset. */
    int sequenceOf(long token) {
        return (int) lastAtMost(token, 0, sequences - 1, sequence -> firstToken((int) sequence));
    }

    /** The document that holds a sequence. */
    long documentOf(int sequence) {
        long at = HEADER_BYTES + 12L * sequences;
        return lastAtMost(sequence, 0, borders - 2, document -> longAt(at + 8 * document));
    }

    /** The last place from first to last whose value, which never falls, is at most this; its value at {@code first} is. */
    private static long lastAtMost(long value, long first, long last, LongUnaryOperator values) {
        long low = first;
        long high = last;
        while (low < high) {
            long middle = (low + high + 1) >>> 1;
            if (values.applyAsLong(middle) <= value) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Where a sequence begins, in bytes: where the one before ends, as was checked. */
    long pointer(int sequence) {
        return longAt(HEADER_BYTES + 4L * sequences + 8L * sequence);
    }

    private long longAt(long at) {
        try {
            long value = segment.get(LONG, at);
            MappedFault.await();
            return value;
        } catch (InternalError failure) {
            throw MappedFiles.fault(file, failure);
        }
    }
}
