package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.DataException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;
import java.util.zip.CRC32;

/**
 * Bytes of an archive entry with its recorded CRC-32. The checksum covers the full entry, so the first use reads all of it, even if a rank
 * needs only some rows; later reads hit the page cache. Any thread may read.
 */
final class ZipData {
    /** Bytes copied to the heap at once. */
    private static final int WINDOW_BYTES = 1 << 16;

    private final MemorySegment bytes;
    private final int crc;
    private final Supplier<DataException> damaged;
    private boolean isChecked;

    /** {@code damaged}: thrown on a checksum mismatch. */
    ZipData(MemorySegment bytes, int crc, Supplier<DataException> damaged) {
        this.bytes = bytes;
        this.crc = crc;
        this.damaged = damaged;
    }

    /** False for archives written with {@code torch.serialization.set_crc32_options(False)}, which record 0. */
    boolean hasChecksum() {
        return crc != 0 || bytes.byteSize() == 0;
    }

    long byteSize() {
        return bytes.byteSize();
    }

    /** The checked bytes; the first call reads all of them. */
    synchronized MemorySegment checked() {
        if (!isChecked) {
            if (hasChecksum() && sum() != crc) {
                throw damaged.get();
            }
            isChecked = true;
        }
        return bytes;
    }

    private int sum() {
        var sum = new CRC32();
        // CRC32 reads direct memory in native code, where a page fault (a file truncated since it was mapped) kills the
        // process.
        byte[] window = new byte[(int) Math.min(WINDOW_BYTES, bytes.byteSize())];
        for (long begin = 0; begin < bytes.byteSize(); begin += WINDOW_BYTES) {
            int count = (int) Math.min(WINDOW_BYTES, bytes.byteSize() - begin);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, begin, window, 0, count);
            sum.update(window, 0, count);
        }
        return (int) sum.getValue();
    }
}
