package io.hirundo.dataloader.internal.indexed;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.lib.input.MappedFault;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The {@code .sums} file of a dataset, mapped: SHA-256 checksums of the index and of each block of tokens. Little-endian:
 *
 * <pre>
 *   0  "HIRSUMS\0"
 *   8  u32 version, 1
 *  12  u32 bytes of a block
 *  16  u64 bytes of the .bin
 *  24  u64 bytes of the .idx
 *  32  SHA-256 of the .idx
 *  64  SHA-256 of each block of the .bin; the last block may be shorter
 *      SHA-256 of all bytes before
 * </pre>
 *
 * <p>The last checksum tells damaged checksums from damaged data. It is compared only after another comparison failed, because a read
 * of all checksums would delay the start of a run. Thread-safe.
 */
final class BlockSums {
    static final byte[] MAGIC = "HIRSUMS\0".getBytes(StandardCharsets.ISO_8859_1);
    static final int VERSION = 1;
    static final int HEADER_BYTES = 64;
    static final int SUM_BYTES = 32;

    /** Small, because one random sample costs the read of its blocks; large enough that the checksums take an 8192th of the data. */
    static final int BLOCK_BYTES = 1 << 18;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final DatasetFiles files;
    private final Stop stop;
    private final MemorySegment sums;
    private final MemorySegment bin;
    private final MemorySegment idx;
    private final int blockBytes;
    private final long blocks;

    /** A bit for each block, set after its checksum matched. */
    private final AtomicLongArray intact;

    private BlockSums(DatasetFiles files, MemorySegment sums, MemorySegment bin, MemorySegment idx, Stop stop) {
        this.files = files;
        this.stop = stop;
        this.sums = sums;
        this.bin = bin;
        this.idx = idx;
        if (sums.byteSize() < HEADER_BYTES + SUM_BYTES
                || sums.asSlice(0, MAGIC.length).mismatch(MemorySegment.ofArray(MAGIC)) >= 0) {
            throw fault("holds no checksums of a dataset, or is cut short");
        }
        int version = sums.get(INT, 8);
        blockBytes = sums.get(INT, 12);
        if (version != VERSION || blockBytes != BLOCK_BYTES) {
            throw fault("has version " + version + " and blocks of " + blockBytes + " bytes; known are version 1 and "
                    + BLOCK_BYTES);
        }
        requireSize(files.tokens(), bin, sums.get(LONG, 16));
        requireSize(files.index(), idx, sums.get(LONG, 24));
        blocks = Math.ceilDiv(bin.byteSize(), (long) blockBytes);
        long expected = HEADER_BYTES + SUM_BYTES * (blocks + 1);
        if (sums.byteSize() != expected) {
            throw fault("is cut short or too long: " + sums.byteSize() + " bytes, but " + blocks + " blocks take "
                    + expected);
        }
        intact = new AtomicLongArray(Math.toIntExact(Math.ceilDiv(blocks, Long.SIZE)));
    }

    /**
     * Maps the checksums of a dataset as long as the arena lives, and compares the index, which is read as a whole at every open anyway.
     *
     * @return empty if the dataset has no checksums; a link that leads nowhere is an error
     * @throws DataException if they are damaged or belong to other files, or if the index is damaged
     */
    static Optional<BlockSums> open(DatasetFiles files, MemorySegment bin, MemorySegment idx, Arena arena, Stop stop) {
        if (!Files.exists(files.sums(), LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            var sums = new BlockSums(files, MappedFiles.map(files.sums(), arena), bin, idx, stop);
            MappedFault.await();
            sums.requireIndex();
            return Optional.of(sums);
        } catch (InternalError failure) {
            throw MappedFiles.fault(files.sums(), failure);
        }
    }

    private void requireSize(Path file, MemorySegment mapped, long bytes) {
        if (mapped.byteSize() != bytes) {
            throw fault("belongs to other files: " + file + " has " + mapped.byteSize() + " bytes, not " + bytes);
        }
    }

    private DataException fault(String what) {
        return new DataException(files.sums() + " " + what
                + "; copy or make the dataset again, or delete this file if the .bin and .idx are right");
    }

    long blocks() {
        return blocks;
    }

    long firstByte(long block) {
        return block * blockBytes;
    }

    /** The byte after the block's last. */
    long endByte(long block) {
        return Math.min(firstByte(block + 1), bin.byteSize());
    }

    /**
     * Checks the blocks of a range of the {@code .bin}, each until it matched once.
     *
     * @return the first block that differs from its checksum; -1 for none
     * @throws DataException if the checksums are damaged
     */
    long firstDamaged(long at, long bytes) {
        for (long block = at / blockBytes; firstByte(block) < at + bytes; block++) {
            if (!isIntact(block)) {
                requireWhole();
                return block;
            }
        }
        return -1;
    }

    /** Whether a block matches its checksum; false if either is damaged. */
    boolean isIntact(long block) {
        int word = (int) (block / Long.SIZE);
        long bit = 1L << block;
        if ((intact.get(word) & bit) != 0) {
            return true;
        }
        boolean same =
                isSame(sha256(files.tokens(), bin, firstByte(block), endByte(block)), HEADER_BYTES + SUM_BYTES * block);
        if (same) {
            intact.accumulateAndGet(word, bit, (all, one) -> all | one);
        }
        return same;
    }

    /** @throws DataException if the {@code .sums} file differs from its own checksum */
    void requireWhole() {
        long end = sums.byteSize() - SUM_BYTES;
        if (!isSame(sha256(files.sums(), sums, 0, end), end)) {
            throw fault("is damaged: it differs from its own checksum");
        }
    }

    private void requireIndex() {
        if (!isSame(sha256(files.index(), idx, 0, idx.byteSize()), 32)) {
            requireWhole();
            throw new DataException(files.index() + " is damaged: it differs from its checksum in " + files.sums()
                    + "; copy or make the dataset again");
        }
    }

    private boolean isSame(byte[] sha256, long at) {
        try {
            boolean same = sums.asSlice(at, SUM_BYTES).mismatch(MemorySegment.ofArray(sha256)) < 0;
            MappedFault.await();
            return same;
        } catch (InternalError failure) {
            throw MappedFiles.fault(files.sums(), failure);
        }
    }

    private byte[] sha256(Path file, MemorySegment mapped, long from, long to) {
        MessageDigest digest = Sha256.digest();
        // A ByteBuffer has at most 2^31 - 1 bytes.
        for (long at = from; at < to; ) {
            stop.check(file);
            long bytes = Math.min(to - at, BLOCK_BYTES);
            try {
                digest.update(mapped.asSlice(at, bytes).asByteBuffer());
                MappedFault.await();
            } catch (InternalError failure) {
                throw MappedFiles.fault(file, failure);
            }
            at += bytes;
        }
        return digest.digest();
    }

    /** Number and bytes of a block, for messages. */
    String describe(long block) {
        return String.format(Locale.ROOT, "block %d (bytes %d to %d)", block, firstByte(block), endByte(block) - 1);
    }
}
