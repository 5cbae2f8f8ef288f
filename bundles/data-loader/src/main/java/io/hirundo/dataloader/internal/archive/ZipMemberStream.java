package io.hirundo.dataloader.internal.archive;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** The text of an entry, which never has more bytes than the directory says. */
final class ZipMemberStream extends FilterInputStream {
    private final ZipMember member;
    private final FileChannel file;

    /** Null for stored data. */
    private final Inflater inflater;

    private final CRC32 sum = new CRC32();
    private long bytes;

    /**
     * @param file closed with the stream
     * @param first byte of the data
     */
    ZipMemberStream(ZipMember member, FileChannel file, long first) {
        this(
                member,
                file,
                new FileWindow(file, first, first + member.compressed()),
                member.method() == ZipMember.STORED ? null : new Inflater(true));
    }

    private ZipMemberStream(ZipMember member, FileChannel file, InputStream data, Inflater inflater) {
        super(
                inflater == null
                        ? data
                        : new InflaterInputStream(data, inflater, (int) Math.clamp(member.compressed(), 512, 1 << 15)));
        this.member = member;
        this.file = file;
        this.inflater = inflater;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        if (count >= 0) {
            bytes += count;
            sum.update(into, offset, count);
            if (bytes > member.bytes()) {
                throw member.damaged("holds more than the " + member.bytes() + " bytes that the directory says");
            }
        } else if (bytes != member.bytes()) {
            throw member.damaged("has " + bytes + " bytes; the directory says " + member.bytes());
        } else if (inflater != null && inflater.getBytesRead() != member.compressed()) {
            throw member.damaged("takes " + inflater.getBytesRead() + " bytes in the archive; the directory says "
                    + member.compressed());
        } else if ((int) sum.getValue() != member.checksum()) {
            throw member.damaged("differs from its checksum");
        }
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        throw new UnsupportedOperationException("skipped bytes would be missing in the checksum");
    }

    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            if (inflater != null) {
                inflater.end();
            }
            file.close();
        }
    }
}
