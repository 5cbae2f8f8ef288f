package io.hirundo.dataloader.internal.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class GzipStreamTest {
    private static final byte[] FIRST = gzip("a line of text\n".repeat(100));
    private static final byte[] SECOND = gzip("another one\n".repeat(50));
    private static final String BOTH = "a line of text\n".repeat(100) + "another one\n".repeat(50);

    private static byte[] gzip(String text) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        var bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    private static String read(byte[]... parts) throws IOException {
        try (var in = new GzipStream(new ByteArrayInputStream(join(parts)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String rejected(byte[]... parts) {
        return assertThrows(IOException.class, () -> read(parts)).getMessage();
    }

    @Test
    void readsAllMembersAlsoEmptyOnesAndZeroPadding() throws IOException {
        assertEquals(BOTH, read(FIRST, SECOND));
        assertEquals(BOTH, read(gzip(""), FIRST, gzip(""), SECOND, gzip("")));
        assertEquals(BOTH, read(FIRST, SECOND, new byte[70_000]));
    }

    /** Time, level and operating system mean nothing, and a few bits of compressed data are padding. */
    @Test
    void everyFlippedBitOfASecondMemberIsRejectedOrChangesNoText() throws IOException {
        int rejected = 0;
        for (int bit = 0; bit < 8 * SECOND.length; bit++) {
            byte[] damaged = SECOND.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertEquals(BOTH, read(FIRST, damaged), "bit " + bit);
            } catch (IOException e) {
                assertTrue(e.getMessage().contains("member 2"), e.getMessage());
                rejected++;
            }
        }
        // All but 6 bytes of the header, the flag for text, and less than a byte of padding.
        assertTrue(rejected > 8 * (SECOND.length - 7) - 8, rejected + " of " + 8 * SECOND.length);
    }

    @Test
    void rejectsGarbageAndCutsAnywhere() {
        assertTrue(rejected(FIRST, "garbage".getBytes(StandardCharsets.UTF_8))
                .contains("member 2, at byte " + FIRST.length));
        assertTrue(rejected(FIRST, new byte[3], "x".getBytes(StandardCharsets.UTF_8))
                .contains("nor only zeros"));
        assertTrue(rejected("no gzip".getBytes(StandardCharsets.UTF_8)).contains("is not gzip"));
        for (int length = 1; length < SECOND.length; length++) {
            byte[] cut = Arrays.copyOf(SECOND, length);
            assertThrows(EOFException.class, () -> read(FIRST, cut));
            assertThrows(EOFException.class, () -> read(cut));
        }
    }

    @Test
    void readsEveryHeaderFieldAndComparesTheHeadersChecksum() throws IOException {
        byte[] header = {
            0x1f, (byte) 0x8b, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3, 3, 0, 'x', 'y', 'z', 'n', 0, 'c', 'c', 0
        };
        var sum = new CRC32();
        sum.update(header);
        byte[] sums = {(byte) sum.getValue(), (byte) (sum.getValue() >> 8)};
        byte[] rest = Arrays.copyOfRange(FIRST, 10, FIRST.length);
        assertEquals(BOTH, read(header, sums, rest, SECOND));
        sums[1] ^= 1;
        assertTrue(rejected(header, sums, rest, SECOND).contains("header that differs"));
    }
}
