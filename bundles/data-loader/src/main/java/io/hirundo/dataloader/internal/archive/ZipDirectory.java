package io.hirundo.dataloader.internal.archive;

import io.hirundo.dataloader.internal.stop.Stop;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/**
 * Reads the central directory of a zip archive (PKWARE's APPNOTE), zip64 included. The JDK's {@link java.util.zip.ZipFile} compares
 * neither checksums nor lengths with what it decompresses, nor an entry's own header with the directory; {@link ZipMember} does.
 */
public final class ZipDirectory {
    private static final int END = 0x06054b50;
    private static final int END_BYTES = 22;
    private static final int MOST_COMMENT_BYTES = 0xFFFF;
    private static final int LOCATOR64 = 0x07064b50;
    private static final int LOCATOR64_BYTES = 20;
    private static final int END64 = 0x06064b50;
    private static final int END64_BYTES = 56;
    private static final int MEMBER = 0x02014b50;
    private static final int MEMBER_BYTES = 46;
    private static final int SIGNATURE = 0x05054b50;

    private final FileChannel file;
    private long entries;
    private long size;
    private long offset;

    /** Where the directory begins in the file. */
    private long begin;

    private ZipDirectory(FileChannel file) {
        this.file = file;
    }

    /**
     * Lists the entries in the order of the directory, folders included.
     *
     * @throws ZipException if the directory is damaged, or the archive has several volumes
     */
    public static List<ZipMember> read(Path zip, Stop stop) throws IOException {
        try (FileChannel file = FileChannel.open(zip, StandardOpenOption.READ)) {
            var directory = new ZipDirectory(file);
            directory.find();
            return directory.members(zip, stop);
        }
    }

    private void find() throws IOException {
        int bytes = (int) Math.min(file.size(), END_BYTES + MOST_COMMENT_BYTES);
        ByteBuffer tail = FileWindow.read(file, file.size() - bytes, bytes);
        for (int at = bytes - END_BYTES; at >= 0; at--) {
            if (tail.getInt(at) == END && endsAt(tail, at + END_BYTES + Short.toUnsignedInt(tail.getShort(at + 20)))) {
                readEnd(tail, at, file.size() - bytes + at);
                return;
            }
        }
        throw new ZipException("it has no directory of a zip archive; it may be cut short");
    }

    /** Whether nothing, or only padding, follows. */
    private static boolean endsAt(ByteBuffer tail, int end) {
        if (end > tail.limit()) {
            return false;
        }
        for (int at = end; at < tail.limit(); at++) {
            if (tail.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    private void readEnd(ByteBuffer tail, int at, long position) throws IOException {
        int disk = Short.toUnsignedInt(tail.getShort(at + 4));
        entries = Short.toUnsignedInt(tail.getShort(at + 10));
        size = Integer.toUnsignedLong(tail.getInt(at + 12));
        offset = Integer.toUnsignedLong(tail.getInt(at + 16));
        long end = position;
        ByteBuffer locator =
                position < LOCATOR64_BYTES ? null : FileWindow.read(file, position - LOCATOR64_BYTES, LOCATOR64_BYTES);
        // Small archives may have one, too.
        if (locator != null && locator.getInt(0) == LOCATOR64) {
            end = readEnd64(locator.getLong(8), position - LOCATOR64_BYTES);
        } else if (disk != 0) {
            throw new ZipException("it is one volume of a split archive");
        }
        begin = end - size;
        // Something may come before the archive, a program that unpacks it for instance.
        if (size < 0 || offset < 0 || begin < offset) {
            throw new ZipException("its directory begins before the file does");
        }
    }

    private long readEnd64(long said, long locator) throws IOException {
        for (long at : new long[] {said, locator - END64_BYTES}) {
            if (at >= 0 && at <= locator - END64_BYTES) {
                ByteBuffer end = FileWindow.read(file, at, END64_BYTES);
                if (end.getInt(0) == END64) {
                    entries = end.getLong(32);
                    size = end.getLong(40);
                    offset = end.getLong(48);
                    return at;
                }
            }
        }
        throw new ZipException("the end of its zip64 directory is missing");
    }

    private List<ZipMember> members(Path zip, Stop stop) throws IOException {
        List<ZipMember> members = new ArrayList<>();
        var in = new DataInputStream(new BufferedInputStream(new FileWindow(file, begin, begin + size), 1 << 16));
        long prefix = begin - offset;
        long left = size;
        while (left >= MEMBER_BYTES) {
            if ((members.size() & Stop.EVERY) == 0) {
                stop.check(zip);
            }
            ByteBuffer header = next(in, MEMBER_BYTES);
            if (header.getInt(0) != MEMBER) {
                throw damaged(members.size());
            }
            int nameBytes = Short.toUnsignedInt(header.getShort(28));
            int extraBytes = Short.toUnsignedInt(header.getShort(30));
            int commentBytes = Short.toUnsignedInt(header.getShort(32));
            byte[] name = next(in, nameBytes).array();
            ByteBuffer extra = next(in, extraBytes);
            in.skipNBytes(commentBytes);
            left -= MEMBER_BYTES + nameBytes + extraBytes + commentBytes;
            if (left < 0) {
                throw damaged(members.size());
            }
            members.add(ZipMember.of(zip, name, header, extra, prefix));
            if (members.size() == entries) {
                break;
            }
        }
        if (members.size() != entries
                || left > 0 && (left < Integer.BYTES || next(in, Integer.BYTES).getInt(0) != SIGNATURE)) {
            throw new ZipException(
                    "its directory has " + entries + " entries, but " + members.size() + " of them fit in its length");
        }
        return members;
    }

    private static ByteBuffer next(DataInputStream in, int bytes) throws IOException {
        byte[] array = new byte[bytes];
        in.readFully(array);
        return ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ZipException damaged(int entry) {
        return new ZipException("its directory is damaged at entry " + entry);
    }
}
