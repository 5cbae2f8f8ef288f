package io.hirundo.dataloader.internal.indexed;

import io.hirundo.DataException;
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
 * Checksums of a dataset: the {@code .sums} file that Hirundo writes with it, mapped. Little-endian: {@code HIRSUMS\0}, u32 version 1,
 * u32 bytes of a block, u64 bytes of the {@code .bin}, u64 bytes of the {@code .idx}, SHA-256 of the {@code .idx}; then from byte 64 on
 * the SHA-256 of each block of the {@code .bin}, the last of which may be shorter; then the SHA-256 of all that is before. Thread-safe.
 */
final class BlockSums {
  static final byte[] MAGIC = "HIRSUMS\0".getBytes(StandardCharsets.ISO_8859_1);
  static final int VERSION = 1;
  static final int HEADER_BYTES = 64;
  static final int SUM_BYTES = 32;

  /** A sample that is read by chance costs the reading of its blocks: small, but the sums should stay below a thousandth of the data. */
  static final int BLOCK_BYTES = 1 << 18;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final DatasetFiles files;
  private final MemorySegment sums;
  private final MemorySegment bin;
  private final MemorySegment idx;
  private final int blockBytes;
  private final long blocks;

  /** A bit for each block, set once it was found intact. */
  private final AtomicLongArray intact;

  private BlockSums(DatasetFiles files, MemorySegment sums, MemorySegment bin, MemorySegment idx) {
    this.files = files;
    this.sums = sums;
    this.bin = bin;
    this.idx = idx;
    if (sums.byteSize() < HEADER_BYTES + SUM_BYTES || sums.asSlice(0, MAGIC.length).mismatch(MemorySegment.ofArray(MAGIC)) >= 0) {
      throw fault("holds no checksums of a dataset, or is cut short");
    }
    int version = sums.get(INT, 8);
    blockBytes = sums.get(INT, 12);
    if (version != VERSION || blockBytes != BLOCK_BYTES) {
      throw fault("has version " + version + " and blocks of " + blockBytes + " bytes; known are version 1 and " + BLOCK_BYTES);
    }
    requireSize(files.tokens(), bin, sums.get(LONG, 16));
    requireSize(files.index(), idx, sums.get(LONG, 24));
    blocks = Math.ceilDiv(bin.byteSize(), (long) blockBytes);
    long expected = HEADER_BYTES + SUM_BYTES * (blocks + 1);
    if (sums.byteSize() != expected) {
      throw fault("is cut short or too long: " + sums.byteSize() + " bytes, but " + blocks + " blocks take " + expected);
    }
    intact = new AtomicLongArray(Math.toIntExact(Math.ceilDiv(blocks, Long.SIZE)));
  }

  /**
   * Maps the checksums of a dataset for as long as the arena lives; empty where it has none. A link that leads nowhere is not none.
   *
   * @throws DataException when they are damaged, or those of other files
   */
  static Optional<BlockSums> open(DatasetFiles files, MemorySegment bin, MemorySegment idx, Arena arena) {
    return Files.exists(files.sums(), LinkOption.NOFOLLOW_LINKS)
        ? Optional.of(new BlockSums(files, MappedFiles.map(files.sums(), arena), bin, idx))
        : Optional.empty();
  }

  private void requireSize(Path file, MemorySegment mapped, long bytes) {
    if (mapped.byteSize() != bytes) {
      throw fault("is of other files: " + file + " has " + mapped.byteSize() + " bytes, not " + bytes);
    }
  }

  private DataException fault(String what) {
    return new DataException(
        files.sums() + " " + what + "; delete it if the .bin and .idx are right, else copy or make the dataset again");
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

  /** The first of so many bytes' blocks that differs from its checksum; each is looked at until it was found intact; -1 for none. */
  long firstDamaged(long at, long bytes) {
    for (long block = at / blockBytes; firstByte(block) < at + bytes; block++) {
      if (!isIntact(block)) {
        return block;
      }
    }
    return -1;
  }

  /** Whether a block is as it was written. */
  boolean isIntact(long block) {
    int word = (int) (block / Long.SIZE);
    long bit = 1L << block;
    if ((intact.get(word) & bit) != 0) {
      return true;
    }
    boolean same = isSame(sha256(bin, firstByte(block), endByte(block)), HEADER_BYTES + SUM_BYTES * block);
    if (same) {
      intact.accumulateAndGet(word, bit, (all, one) -> all | one);
    }
    return same;
  }

  /** @throws DataException when the checksums themselves were changed */
  void requireWhole() {
    long end = sums.byteSize() - SUM_BYTES;
    if (!isSame(sha256(sums, 0, end), end)) {
      throw fault("is damaged: it differs from its own checksum");
    }
  }

  /** @throws DataException when the index is not the one that was written */
  void requireIndex() {
    if (!isSame(sha256(idx, 0, idx.byteSize()), 32)) {
      throw new DataException(
          files.index() + " is damaged: it differs from its checksum in " + files.sums() + "; copy or make the dataset again");
    }
  }

  private boolean isSame(byte[] sha256, long at) {
    return sums.asSlice(at, SUM_BYTES).mismatch(MemorySegment.ofArray(sha256)) < 0;
  }

  private static byte[] sha256(MemorySegment file, long from, long to) {
    MessageDigest digest = Sha256.digest();
    // A ByteBuffer has at most 2^31 - 1 bytes.
    for (long at = from; at < to; ) {
      long bytes = Math.min(to - at, BLOCK_BYTES);
      digest.update(file.asSlice(at, bytes).asByteBuffer());
      at += bytes;
    }
    return digest.digest();
  }

  /** For people: which bytes a block has. */
  String describe(long block) {
    return String.format(Locale.ROOT, "block %d (bytes %d to %d)", block, firstByte(block), endByte(block) - 1);
  }
}
