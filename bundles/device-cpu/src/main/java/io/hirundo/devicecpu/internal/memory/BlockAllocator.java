package io.hirundo.devicecpu.internal.memory;

import io.hirundo.DeviceException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;

/**
 * Hands out blocks of large chunks: of the free blocks that are large enough, one that needs the fewest bytes of a chunk's end which was never used,
 * because only used memory is resident; of those the smallest, and of those the foremost. Adjacent free blocks are joined at once. Nothing depends
 * on addresses that the system chose, so the same requests in the same order get the same places. Chunks are kept until the allocator is
 * closed, or until memory runs short. Not thread-safe.
 */
public final class BlockAllocator implements AutoCloseable {
  /** Large, because untouched memory costs nothing and a large chunk serves more shapes. */
  static final long CHUNK_BYTES = 256L << 20;

  /** Chunks begin at huge pages. */
  private static final long CHUNK_ALIGNMENT_BYTES = ChunkSource.HUGE_PAGE_BYTES;

  private final ChunkSource source;
  private final long limitBytes;
  private final List<Chunk> chunks = new ArrayList<>();
  private final TreeSet<Block> free = new TreeSet<>(
      Comparator.<Block>comparingLong(block -> block.bytes)
          .thenComparingLong(block -> block.chunk.number)
          .thenComparingLong(block -> block.offset));
  private long nextChunk;
  private long chunkBytes;

  /**
   * @param limitBytes never held more than this, used or not
   */
  public BlockAllocator(ChunkSource source, long limitBytes) {
    this.source = source;
    this.limitBytes = limitBytes;
  }

  /**
   * Takes a block.
   *
   * @param bytes more than 0, a multiple of 64
   * @param atEnd whether it lies at the end of the free memory where it is taken. If blocks that stay longer do and others do not, the others leave
   *     larger free blocks when they are given back
   * @throws DeviceException when the limit or the system does not allow it
   */
  Block take(long bytes, boolean atEnd) {
    Block found = find(bytes, atEnd);
    if (found == null) {
      found = newChunk(bytes);
    } else {
      free.remove(found);
    }
    long before = found.place(bytes, atEnd) - found.offset;
    if (before > 0) {
      found.split(before);
      free.add(found);
      found = found.next;
    }
    found.free = false;
    if (found.bytes > bytes) {
      found.split(bytes);
      free.add(found.next);
    }
    found.chunk.usedBytes = Math.max(found.chunk.usedBytes, found.offset + bytes);
    return found;
  }

  /** Null if no free block is large enough. */
  private Block find(long bytes, boolean atEnd) {
    Block found = null;
    long least = Long.MAX_VALUE;
    for (Block block : free.tailSet(new Block(Chunk.BEFORE_ALL, 0, bytes))) {
      long fresh = Math.max(0, block.place(bytes, atEnd) + bytes - Math.max(block.chunk.usedBytes, block.offset));
      if (fresh < least) {
        found = block;
        least = fresh;
      }
      if (fresh == 0) {
        break;
      }
    }
    return found;
  }

  void giveBack(Block block) {
    block.free = true;
    if (block.next != null && block.next.free) {
      free.remove(block.next);
      block.absorbNext();
    }
    Block kept = block;
    if (block.previous != null && block.previous.free) {
      kept = block.previous;
      free.remove(kept);
      kept.absorbNext();
    }
    free.add(kept);
  }

  /** Bytes held from the system. */
  long chunkBytes() {
    return chunkBytes;
  }

  private Block newChunk(long bytes) {
    if (bytes > limitBytes) {
      throw exhausted(bytes);
    }
    if (bytes > limitBytes - chunkBytes) {
      dropFreeChunks();
    }
    long room = limitBytes - chunkBytes;
    if (bytes > room) {
      throw exhausted(bytes);
    }
    long size = Math.max(bytes, Math.min(CHUNK_BYTES, room & -Memory.ALIGNMENT_BYTES));
    long address = source.take(size + CHUNK_ALIGNMENT_BYTES);
    if (address == 0) {
      throw exhausted(bytes);
    }
    Chunk chunk = new Chunk(nextChunk++, address, (address + CHUNK_ALIGNMENT_BYTES - 1) & -CHUNK_ALIGNMENT_BYTES);
    chunks.add(chunk);
    chunkBytes += size;
    return new Block(chunk, 0, size);
  }

  private void dropFreeChunks() {
    for (Iterator<Block> blocks = free.iterator(); blocks.hasNext(); ) {
      Block block = blocks.next();
      if (block.previous == null && block.next == null) {
        blocks.remove();
        chunks.remove(block.chunk);
        chunkBytes -= block.bytes;
        source.giveBack(block.chunk.address);
      }
    }
  }

  private DeviceException exhausted(long bytes) {
    long freeBytes = free.stream().mapToLong(block -> block.bytes).sum();
    long largest = free.isEmpty() ? 0 : free.last().bytes;
    return new DeviceException(
        String.format(
            "device cpu has no %,d bytes left: %,d of %,d in use, largest free block %,d; use a smaller micro-batch or model,"
                + " more recomputation, or a machine with more memory",
            bytes, chunkBytes - freeBytes, limitBytes, largest));
  }

  @Override
  public void close() {
    chunks.forEach(chunk -> source.giveBack(chunk.address));
    chunks.clear();
    free.clear();
    chunkBytes = 0;
  }

  /** A piece from the system. */
  private static final class Chunk {
    static final Chunk BEFORE_ALL = new Chunk(-1, 0, 0);

    private final long number;
    /** As it was given. */
    private final long address;
    /** Where its blocks begin. */
    private final long base;
    /** Where the part that no block was taken of begins. */
    private long usedBytes;

    Chunk(long number, long address, long base) {
      this.number = number;
      this.address = address;
      this.base = base;
    }
  }

  /** A part of a chunk, linked with the adjacent ones. */
  static final class Block {
    private final Chunk chunk;
    private final long offset;
    private long bytes;
    private boolean free;
    private Block previous;
    private Block next;

    private Block(Chunk chunk, long offset, long bytes) {
      this.chunk = chunk;
      this.offset = offset;
      this.bytes = bytes;
    }

    long address() {
      return chunk.base + offset;
    }

    /** Where so many bytes of this free block are taken: an offset in the chunk. At its end, memory that was never used does not count. */
    private long place(long takenBytes, boolean atEnd) {
      long end = Math.min(offset + bytes, chunk.usedBytes);
      return atEnd ? Math.max(offset, end - takenBytes) : offset;
    }

    private void split(long firstBytes) {
      Block rest = new Block(chunk, offset + firstBytes, bytes - firstBytes);
      rest.free = true;
      rest.previous = this;
      rest.next = next;
      if (next != null) {
        next.previous = rest;
      }
      next = rest;
      bytes = firstBytes;
    }

    private void absorbNext() {
      bytes += next.bytes;
      next = next.next;
      if (next != null) {
        next.previous = this;
      }
    }
  }
}
