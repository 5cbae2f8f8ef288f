package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A zip file as written by {@code torch.save}: uncompressed entries in a folder of any name, and a directory at the end without a comment
 * (APPNOTE.TXT 4.3; PyTorch's {@code caffe2/serialize}).
 */
final class TorchZip {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int LOCAL = 0x04034b50;
    private static final int CENTRAL = 0x02014b50;
    private static final int END = 0x06054b50;
    private static final int END64 = 0x06064b50;
    private static final int LOCATOR64 = 0x07064b50;
    private static final int LOCAL_BYTES = 30;
    private static final int CENTRAL_BYTES = 46;
    private static final int END_BYTES = 22;
    private static final int LOCATOR64_BYTES = 20;
    private static final long IS_IN_64 = 0xffff_ffffL;
    /** A tensor has five to eight. */
    private static final int MOST_ENTRIES = 1000;

    private record Entry(long local, long bytes, int method, int crc) {}

    private final MemorySegment zip;
    private final String where;
    private final Map<String, Entry> entries = new HashMap<>();

    /** {@code where}: name, for messages. */
    private TorchZip(MemorySegment zip, String where) {
        this.zip = zip;
        this.where = where;
    }

    static TorchZip open(MemorySegment zip, String where) {
        var opened = new TorchZip(zip, where);
        try {
            opened.readDirectory();
        } catch (IndexOutOfBoundsException e) {
            throw new DataException(
                    opened.wrong("its directory leads out of it").getMessage(), e);
        }
        return opened;
    }

    boolean has(String name) {
        return entries.containsKey(name);
    }

    /** An entry whose bytes are read and checked when its values are needed. */
    ZipData data(String name) {
        return new ZipData(bytes(name), entries.get(name).crc(), () -> damaged(name));
    }

    private DataException damaged(String name) {
        return wrong("'" + Excerpt.of(name) + "' does not have the CRC-32 that the archive records");
    }

    /** The bytes of an entry, not checked; valid while the file is mapped. */
    private MemorySegment bytes(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw wrong("it has no '" + Excerpt.of(name) + "'");
        }
        if (entry.method() != 0) {
            throw wrong("'" + Excerpt.of(name) + "' is compressed, which torch.save does not do");
        }
        try {
            if (zip.get(INT, entry.local()) != LOCAL) {
                throw wrong("'" + Excerpt.of(name) + "' is not where its directory says");
            }
            long names = unsignedShort(entry.local() + 26) + unsignedShort(entry.local() + 28);
            return zip.asSlice(entry.local() + LOCAL_BYTES + names, entry.bytes());
        } catch (IndexOutOfBoundsException e) {
            throw new DataException(
                    wrong("'" + Excerpt.of(name) + "' leads out of it").getMessage(), e);
        }
    }

    /** The bytes of a small entry, checked. */
    byte[] checkedBytes(String name, int mostBytes) {
        MemorySegment bytes = bytes(name);
        if (bytes.byteSize() > mostBytes) {
            throw wrong("'" + Excerpt.of(name) + "' has " + bytes.byteSize() + " bytes, where at most " + mostBytes
                    + " are read");
        }
        return new ZipData(bytes, entries.get(name).crc(), () -> damaged(name))
                .checked()
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private void readDirectory() {
        long end = zip.byteSize() - END_BYTES;
        if (end < 0 || zip.get(INT, end) != END) {
            throw wrong("it is no zip of torch.save");
        }
        long count = unsignedShort(end + 10);
        long at = unsignedInt(end + 16);
        long locator = end - LOCATOR64_BYTES;
        if ((count == 0xffff || at == IS_IN_64) && locator >= 0 && zip.get(INT, locator) == LOCATOR64) {
            long end64 = zip.get(LONG, locator + 8);
            if (zip.get(INT, end64) != END64) {
                throw wrong("its directory is not where it should be");
            }
            count = zip.get(LONG, end64 + 32);
            at = zip.get(LONG, end64 + 48);
        }
        if (count < 0 || count > MOST_ENTRIES) {
            throw wrong("it has " + count + " entries, where a tensor has some eight");
        }
        for (long index = 0; index < count; index++) {
            at = readEntry(at);
        }
    }

    /** Returns the offset of the next entry. */
    private long readEntry(long at) {
        if (zip.get(INT, at) != CENTRAL) {
            throw wrong("its directory is damaged");
        }
        int nameBytes = unsignedShort(at + 28);
        int extraBytes = unsignedShort(at + 30);
        byte[] name = zip.asSlice(at + CENTRAL_BYTES, nameBytes).toArray(ValueLayout.JAVA_BYTE);
        long[] wide = {unsignedInt(at + 24), unsignedInt(at + 20), unsignedInt(at + 42)};
        readWide(zip.asSlice(at + CENTRAL_BYTES + nameBytes, extraBytes), wide);
        entries.put(
                withoutFolder(new String(name, StandardCharsets.UTF_8)),
                new Entry(wide[2], wide[0], unsignedShort(at + 10), zip.get(INT, at + 16)));
        return at + CENTRAL_BYTES + nameBytes + extraBytes + unsignedShort(at + 32);
    }

    /** ZIP64 fields, in this order: those whose 32-bit field is all ones. */
    private static void readWide(MemorySegment extra, long[] wide) {
        long at = 0;
        while (at + 4 <= extra.byteSize()) {
            long next = at + 4 + (extra.get(SHORT, at + 2) & 0xffff);
            if (extra.get(SHORT, at) == 1) {
                long value = at + 4;
                for (int index = 0; index < wide.length; index++) {
                    if (wide[index] == IS_IN_64) {
                        wide[index] = extra.get(LONG, value);
                        value += Long.BYTES;
                    }
                }
            }
            at = next;
        }
    }

    private static String withoutFolder(String name) {
        return name.substring(name.indexOf('/') + 1);
    }

    private int unsignedShort(long at) {
        return zip.get(SHORT, at) & 0xffff;
    }

    private long unsignedInt(long at) {
        return zip.get(INT, at) & 0xffff_ffffL;
    }

    DataException wrong(String what) {
        return new DataException(where + ": " + what + "; it is damaged or of another kind");
    }
}
