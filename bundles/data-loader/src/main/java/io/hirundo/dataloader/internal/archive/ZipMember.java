package io.hirundo.dataloader.internal.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.ZipException;

/**
 * An entry of a zip archive, as the directory describes it.
 *
 * @param zip the archive
 * @param name of the entry; a folder's ends with a slash
 * @param flags bit 0 encrypted, bit 3 lengths and checksum follow the data
 * @param method 0 stored, 8 deflated
 * @param checksum CRC-32 of the text
 * @param compressed bytes in the archive
 * @param bytes of the text
 * @param header where the entry's own header is in the file
 */
public record ZipMember(
        Path zip, String name, int flags, int method, int checksum, long compressed, long bytes, long header) {
    static final int STORED = 0;
    static final int DEFLATED = 8;

    private static final int ENCRYPTED = 1;
    private static final int DESCRIBED_AFTER = 8;
    private static final int LOCAL = 0x04034b50;
    private static final int LOCAL_BYTES = 30;
    private static final long SEE_EXTRA = 0xFFFF_FFFFL;
    private static final int ZIP64 = 1;

    /**
     * From the directory.
     *
     * @param fixed the fields of constant length
     * @param extra fields
     * @param prefix bytes before the archive, which its positions do not count
     */
    static ZipMember of(Path zip, byte[] name, ByteBuffer fixed, ByteBuffer extra, long prefix) throws ZipException {
        long[] wide = {unsigned(fixed, 24), unsigned(fixed, 20), unsigned(fixed, 42)};
        String text = decode(name);
        widen(wide, extra, text);
        if (wide[0] < 0 || wide[1] < 0 || wide[2] < 0) {
            throw new ZipException("the directory gives its entry " + text + " negative lengths");
        }
        return new ZipMember(
                zip,
                text,
                Short.toUnsignedInt(fixed.getShort(8)),
                Short.toUnsignedInt(fixed.getShort(10)),
                fixed.getInt(16),
                wide[1],
                wide[0],
                prefix + wide[2]);
    }

    private static long unsigned(ByteBuffer fields, int at) {
        return Integer.toUnsignedLong(fields.getInt(at));
    }

    /** Old archives have names in the encoding of their maker. Which one is unknown, and the name matters for messages and order alone. */
    private static String decode(byte[] name) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(name))
                    .toString();
        } catch (CharacterCodingException e) {
            return new String(name, StandardCharsets.ISO_8859_1);
        }
    }

    /** Replaces each value that does not fit 32 bits by that of the zip64 extra field, which has those in the same order. */
    private static void widen(long[] values, ByteBuffer extra, String name) throws ZipException {
        ByteBuffer wide = null;
        for (int at = 0; at + 4 <= extra.limit() && wide == null; ) {
            int bytes = Short.toUnsignedInt(extra.getShort(at + 2));
            if (extra.getShort(at) == ZIP64 && at + 4 + bytes <= extra.limit()) {
                wide = extra.slice(at + 4, bytes).order(extra.order());
            }
            at += 4 + bytes;
        }
        for (int i = 0; wide != null && i < values.length; i++) {
            if (values[i] == SEE_EXTRA) {
                if (wide.remaining() < Long.BYTES) {
                    throw new ZipException("the zip64 lengths of its entry " + name + " are missing");
                }
                values[i] = wide.getLong();
            }
        }
    }

    public boolean isFolder() {
        return name.endsWith("/");
    }

    /**
     * The text. At its end, length and checksum are compared.
     *
     * @throws ZipException if the entry's own header differs from the directory, or it cannot be decompressed
     */
    public InputStream open() throws IOException {
        if ((flags & ENCRYPTED) != 0) {
            throw damaged("is encrypted");
        }
        if (method != STORED && method != DEFLATED) {
            throw damaged("is compressed with method " + method + " (allowed: 0 stored, 8 deflated)");
        }
        FileChannel file = FileChannel.open(zip, StandardOpenOption.READ);
        try {
            long first = requireHeader(file);
            if (compressed > file.size() - first) {
                throw damaged("is cut short");
            }
            return new ZipMemberStream(this, file, first);
        } catch (IOException | RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    /** Where the data begins. */
    private long requireHeader(FileChannel file) throws IOException {
        ByteBuffer local = FileWindow.read(file, header, LOCAL_BYTES);
        if (local.getInt(0) != LOCAL) {
            throw damaged("does not begin where the directory says");
        }
        int nameBytes = Short.toUnsignedInt(local.getShort(26));
        int extraBytes = Short.toUnsignedInt(local.getShort(28));
        String own =
                decode(FileWindow.read(file, header + LOCAL_BYTES, nameBytes).array());
        long[] lengths = {unsigned(local, 22), unsigned(local, 18)};
        widen(lengths, FileWindow.read(file, header + LOCAL_BYTES + nameBytes, extraBytes), name);
        boolean isEmpty = (local.getShort(6) & DESCRIBED_AFTER) != 0
                && lengths[0] == 0
                && lengths[1] == 0
                && local.getInt(14) == 0;
        boolean isSame = lengths[0] == bytes && lengths[1] == compressed && local.getInt(14) == checksum;
        boolean isWide = lengths[0] == SEE_EXTRA || lengths[1] == SEE_EXTRA;
        boolean isDescribedAfter = (local.getShort(6) & DESCRIBED_AFTER) != 0;
        if (!own.equals(name)
                || Short.toUnsignedInt(local.getShort(8)) != method
                || !(isSame || isEmpty || isDescribedAfter && isWide)) {
            throw damaged("has a header that differs from the directory");
        }
        return header + LOCAL_BYTES + nameBytes + extraBytes;
    }

    ZipException damaged(String what) {
        return new ZipException("the entry " + what);
    }
}
