package io.hirundo.dataloader.internal.archive;

import io.hirundo.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decompresses a gzip file (RFC 1952) of any number of members. The JDK's {@link java.util.zip.GZIPInputStream} ends without an error
 * where a later member is damaged; this one rejects what {@code gzip -t} complains about. As there, zero bytes may follow the last member.
 */
public final class GzipStream extends InputStream {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int DEFLATE = 8;

    private static final int HEADER_CHECKSUM = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xE0;

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final Inflater inflater = new Inflater(true);
    private final CRC32 headerSum = new CRC32();
    private final CRC32 sum = new CRC32();
    private int at;
    private int limit;

    /** Where the buffer's end is in the file. */
    private long read;

    /** Which member, from 1 on; where it begins. */
    private long member;

    private long memberAt;
    private boolean inMember;
    private boolean ended;

    /** Closes {@code in}. */
    public GzipStream(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        while (length > 0) {
            if (!inMember && !nextMember()) {
                return -1;
            }
            int count = inflate(bytes, offset, length);
            if (count > 0) {
                sum.update(bytes, offset, count);
                return count;
            }
            if (inflater.finished()) {
                requireTrailer();
                inMember = false;
            } else if (inflater.needsDictionary()) {
                throw damaged("needs a dictionary");
            } else if (!fill()) {
                throw endsEarly();
            } else {
                inflater.setInput(buffer, at, limit - at);
            }
        }
        return 0;
    }

    private int inflate(byte[] bytes, int offset, int length) throws IOException {
        try {
            int count = inflater.inflate(bytes, offset, length);
            at = limit - inflater.getRemaining();
            return count;
        } catch (DataFormatException e) {
            throw damaged("is damaged (" + Reason.of(e) + ")");
        }
    }

    private boolean nextMember() throws IOException {
        if (ended) {
            return false;
        }
        memberAt = read - limit + at;
        int first = next();
        if (member > 0 && first <= 0) {
            requireZeros(first);
            ended = true;
            return false;
        }
        member++;
        readHeader(first);
        inflater.reset();
        inflater.setInput(buffer, at, limit - at);
        sum.reset();
        inMember = true;
        return true;
    }

    /** Tapes pad files with zeros. */
    private void requireZeros(int first) throws IOException {
        for (int value = first; value >= 0; value = next()) {
            if (value != 0) {
                throw new ZipException("after member " + member + ", at byte " + memberAt
                        + ", follows what is neither gzip nor only zeros");
            }
        }
    }

    private void readHeader(int first) throws IOException {
        headerSum.reset();
        if (first < 0) {
            throw endsEarly();
        }
        headerSum.update(first);
        if (first != 0x1F || headerByte() != 0x8B) {
            throw damaged(member == 1 ? "is not gzip" : "does not begin as gzip");
        }
        int method = headerByte();
        int flags = headerByte();
        if (method != DEFLATE || (flags & RESERVED) != 0) {
            throw damaged("has the unknown method " + method + " or unknown flags " + flags);
        }
        skip(6); // Time, hints and operating system.
        if ((flags & EXTRA) != 0) {
            skip(headerByte() | headerByte() << 8);
        }
        skipText(flags & NAME);
        skipText(flags & COMMENT);
        int expected = (int) headerSum.getValue() & 0xFFFF;
        if ((flags & HEADER_CHECKSUM) != 0 && (headerByte() | headerByte() << 8) != expected) {
            throw damaged("has a header that differs from its checksum");
        }
    }

    private int headerByte() throws IOException {
        int value = required();
        headerSum.update(value);
        return value;
    }

    private void skip(int bytes) throws IOException {
        for (int i = 0; i < bytes; i++) {
            headerByte();
        }
    }

    private void skipText(int flag) throws IOException {
        while (flag != 0 && headerByte() != 0) {
            // Up to the zero byte.
        }
    }

    private void requireTrailer() throws IOException {
        if (littleEndian() != sum.getValue()) {
            throw damaged("differs from its checksum");
        }
        // The length counts modulo 2^32.
        if (littleEndian() != (inflater.getBytesWritten() & 0xFFFF_FFFFL)) {
            throw damaged("has another length than it says");
        }
    }

    private long littleEndian() throws IOException {
        return required() | required() << 8 | required() << 16 | (long) required() << 24;
    }

    private int required() throws IOException {
        int value = next();
        if (value < 0) {
            throw endsEarly();
        }
        return value;
    }

    private int next() throws IOException {
        return at < limit || fill() ? buffer[at++] & 0xFF : -1;
    }

    private boolean fill() throws IOException {
        at = 0;
        limit = Math.max(0, in.read(buffer, 0, buffer.length));
        read += limit;
        return limit > 0;
    }

    private EOFException endsEarly() {
        return new EOFException("member " + member);
    }

    private ZipException damaged(String what) {
        return new ZipException("its gzip member " + member + ", at byte " + memberAt + ", " + what);
    }

    @Override
    public void close() throws IOException {
        ended = true;
        inMember = false;
        inflater.end();
        in.close();
    }
}
