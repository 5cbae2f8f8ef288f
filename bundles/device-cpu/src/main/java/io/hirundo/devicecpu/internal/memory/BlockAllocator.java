package io.hirundo.devicecpu.internal.memory;

import io.hirundo.DeviceException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;

/**
 * Best-fit allocator over large chunks. Of the free blocks that are large enough, it takes the one that needs the fewest bytes above its chunk's
 * high-water mark, because only memory below the mark is resident; of several the smallest, then the one with the lowest offset in the oldest chunk.
 * It coalesces adjacent free blocks at once. Nothing depends on addresses that the system chose, so the same requests in the same order get the same
 * offsets. Chunks are kept until the allocator is closed, or until memory runs short. Not thread-safe.
 */
public final class BlockAllocator implements AutoCloseable {
    /** Large, because untouched memory costs nothing and a large chunk serves more shapes. */
    static final long CHUNK_BYTES = 256L << 20;

    /** Chunks begin at huge pages. */
    private static final long CHUNK_ALIGNMENT_BYTES = ChunkSource.HUGE_PAGE_BYTES;

    private final ChunkSource source;
    private final long limitBytes;
    private final List<Chunk> chunks = new ArrayList<>();
    private final TreeSet<Block> free = new TreeSet<>(BlockAllocator::compare);
    private long nextChunk;
    private long chunkBytes;

    /**
     * @param limitBytes never held more than this, used or not
     */
    public BlockAllocator(ChunkSource source, long limitBytes) {
        this.source = source;
        this.limitBytes = limitBytes;
    }

    /** By size, age of the chunk, and offset. One method instead of chained comparators: it runs several times for each tensor. */
    private static int compare(Block one, Block other) {
        if (one.bytes != other.bytes) {
            return Long.compare(one.bytes, other.bytes);
        }
        return one.chunk.number == other.chunk.number
                ? Long.compare(one.offset, other.offset)
                : Long.compare(one.chunk.number, other.chunk.number);
    }

    /**
     * Takes a block.
     *
     * @param bytes more than 0, a multiple of 64
     * @param atHighEnd whether to take the high end of the free block, below the high-water mark, instead of its low end. If long-lived blocks take the
     *     high end and others the low end, the others coalesce to larger free blocks when they are given back
     * @throws DeviceException when the limit or the system does not allow it
     */
    Block take(long bytes, boolean atHighEnd) {
        Block found = find(bytes, atHighEnd);
        if (found == null) {
            found = newChunk(bytes);
        } else {
            free.remove(found);
        }
        long before = found.place(bytes, atHighEnd) - found.offset;
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
        found.chunk.highWaterBytes = Math.max(found.chunk.highWaterBytes, found.offset + bytes);
        return found;
    }

    /** Null if no free block is large enough. */
    private Block find(long bytes, boolean atHighEnd) {
        Block found = null;
        long least = Long.MAX_VALUE;
        for (Block block : free.tailSet(new Block(Chunk.BEFORE_ALL, 0, bytes))) {
            long fresh = Math.max(0, block.place(bytes, atHighEnd) + bytes - block.chunk.highWaterBytes);
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
            block.coalesceWithNext();
        }
        Block kept = block;
        if (block.previous != null && block.previous.free) {
            kept = block.previous;
            free.remove(kept);
            kept.coalesceWithNext();
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
        return new DeviceException(String.format(
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

    /** Memory allocated from the system. */
    private static final class Chunk {
        static final Chunk BEFORE_ALL = new Chunk(-1, 0, 0);

        private final long number;
        /** What the system returned, not aligned. */
        private final long address;
        /** The aligned address of its first block. */
        private final long base;
        /** The largest end of any block so far, as an offset. No free block begins above it. */
        private long highWaterBytes;

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

        /** The offset in the chunk at which so many bytes of this free block are taken. The high end lies below the high-water mark if the bytes fit there. */
        private long place(long takenBytes, boolean atHighEnd) {
            long end = Math.min(offset + bytes, chunk.highWaterBytes);
            return atHighEnd ? Math.max(offset, end - takenBytes) : offset;
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

        private void coalesceWithNext() {
            bytes += next.bytes;
            next = next.next;
            if (next != null) {
                next.previous = this;
            }
        }
    }
}
