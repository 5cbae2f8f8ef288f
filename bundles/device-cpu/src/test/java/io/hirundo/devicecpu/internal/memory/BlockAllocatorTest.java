package io.hirundo.devicecpu.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.devicecpu.internal.memory.BlockAllocator.Block;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** No memory is touched, so the chunks here are numbers only. */
final class BlockAllocatorTest {
    private static final long MIB = 1L << 20;

    private final Map<Long, Long> chunks = new HashMap<>();
    private long nextAddress = 4096;

    private final ChunkSource source = new ChunkSource() {
        @Override
        public long take(long bytes) {
            long address = nextAddress;
            nextAddress += bytes + 4096;
            chunks.put(address, bytes);
            return address;
        }

        @Override
        public void giveBack(long address) {
            assertNotEquals(null, chunks.remove(address));
        }
    };

    @Test
    void joinsAdjacentFreeBlocks() {
        try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
            Block a = allocator.take(64, false);
            Block b = allocator.take(128, false);
            Block c = allocator.take(192, false);
            assertEquals(a.address() + 64, b.address());
            assertEquals(b.address() + 128, c.address());
            allocator.giveBack(a);
            allocator.giveBack(c);
            allocator.giveBack(b);
            assertEquals(
                    a.address(),
                    allocator.take(BlockAllocator.CHUNK_BYTES, false).address(),
                    "the chunk is whole again");
            assertEquals(1, chunks.size());
        }
        assertTrue(chunks.isEmpty());
    }

    @Test
    void takesTheSmallestBlockThatFits() {
        try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
            Block large = allocator.take(1024, false);
            allocator.take(64, false);
            Block small = allocator.take(256, false);
            allocator.take(64, false);
            allocator.giveBack(large);
            allocator.giveBack(small);
            assertEquals(small.address(), allocator.take(192, false).address());
            assertEquals(large.address(), allocator.take(512, false).address());
            assertEquals(large.address() + 512, allocator.take(512, false).address());
        }
    }

    /** Of a step: a gradient that stays and activations that do not are at different ends. */
    @Test
    void takesLongLivedBlocksAtTheEnd() {
        try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
            Block weights = allocator.take(64, false);
            Block first = allocator.take(1024, false);
            Block second = allocator.take(1024, false);
            Block third = allocator.take(1024, true);
            assertEquals(second.address() + 1024, third.address(), "memory that was never used is not skipped");
            allocator.giveBack(second);
            Block gradient = allocator.take(256, true);
            assertEquals(third.address() - 256, gradient.address());
            allocator.giveBack(first);
            assertEquals(
                    weights.address() + 64, allocator.take(1024 + 768, false).address(), "what is left is one block");
        }
    }

    @Test
    void prefersUsedMemory() {
        try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
            Block used = allocator.take(200 * MIB, false);
            Block other = allocator.take(100 * MIB, false);
            assertEquals(2, chunks.size());
            allocator.giveBack(used);
            assertEquals(
                    used.address(),
                    allocator.take(64 * MIB, false).address(),
                    "not the smaller block that was never used");
            Block next = allocator.take(192 * MIB, false);
            assertEquals(used.address() + 64 * MIB, next.address());
            assertEquals(other.address() + 100 * MIB, allocator.take(64, false).address());
        }
    }

    @Test
    void sameRequestsGetTheSamePlaces() {
        for (int atEndOfTen : new int[] {0, 3}) {
            chunks.clear();
            nextAddress = 4096;
            List<Long> first = randomRequests(new BlockAllocator(source, 1L << 40), atEndOfTen);
            chunks.clear();
            nextAddress = 4096;
            assertEquals(first, randomRequests(new BlockAllocator(source, 1L << 40), atEndOfTen));
        }
    }

    /** Places at the end of free memory depend on how much of it was used before. */
    @Test
    void requestsGetTheSamePlacesAfterEverythingWasGivenBack() {
        try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
            assertEquals(randomRequests(allocator, 0), randomRequests(allocator, 0));
        }
    }

    /** {@code atEndOfTen}: of ten blocks, how many lie at the end of free memory. */
    private static List<Long> randomRequests(BlockAllocator allocator, int atEndOfTen) {
        Random random = new Random(7);
        TreeMap<Long, Long> occupied = new TreeMap<>();
        List<Block> live = new ArrayList<>();
        List<Long> addresses = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            if (live.size() > 40 || (!live.isEmpty() && random.nextInt(3) == 0)) {
                Block block = live.remove(random.nextInt(live.size()));
                occupied.remove(block.address());
                allocator.giveBack(block);
            } else {
                long bytes = 64L * (1 + random.nextInt(20_000));
                Block block = allocator.take(bytes, random.nextInt(10) < atEndOfTen);
                var before = occupied.floorEntry(block.address());
                var after = occupied.ceilingEntry(block.address());
                assertTrue(before == null || before.getValue() <= block.address(), "blocks overlap");
                assertTrue(after == null || block.address() + bytes <= after.getKey(), "blocks overlap");
                assertEquals(0, block.address() % 64);
                occupied.put(block.address(), block.address() + bytes);
                addresses.add(block.address());
                live.add(block);
            }
        }
        live.forEach(allocator::giveBack);
        return addresses;
    }

    @Test
    void allocatesAChunkForALargerRequest() {
        try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
            allocator.take(3 * BlockAllocator.CHUNK_BYTES, false);
            assertEquals(3 * BlockAllocator.CHUNK_BYTES, allocator.chunkBytes());
        }
    }

    @Test
    void exhaustionNamesUsedBytes() {
        try (BlockAllocator allocator = new BlockAllocator(source, 100 * MIB)) {
            Block first = allocator.take(60 * MIB, false);
            allocator.take(30 * MIB, false);
            DeviceException failure = assertThrows(DeviceException.class, () -> allocator.take(20 * MIB, false));
            assertTrue(failure.getMessage().contains("20,971,520 bytes"), failure.getMessage());
            assertTrue(failure.getMessage().contains("94,371,840 of 104,857,600 in use"), failure.getMessage());
            allocator.giveBack(first);
            assertEquals(first.address(), allocator.take(60 * MIB, false).address(), "still usable");
            assertThrows(DeviceException.class, () -> allocator.take(101 * MIB, false));
        }
    }

    @Test
    void releasesIdleChunksBeforeMemoryIsExhausted() {
        try (BlockAllocator allocator = new BlockAllocator(source, 600 * MIB)) {
            Block first = allocator.take(256 * MIB, false);
            Block second = allocator.take(256 * MIB, false);
            allocator.giveBack(first);
            allocator.giveBack(second);
            allocator.take(500 * MIB, false);
            assertEquals(500 * MIB, allocator.chunkBytes());
            assertEquals(1, chunks.size());
        }
    }

    @Test
    void exhaustedSystemMemoryIsADeviceException() {
        ChunkSource empty = new ChunkSource() {
            @Override
            public long take(long bytes) {
                return 0;
            }

            @Override
            public void giveBack(long address) {
                throw new AssertionError();
            }
        };
        try (BlockAllocator allocator = new BlockAllocator(empty, 1L << 40)) {
            assertThrows(DeviceException.class, () -> allocator.take(64, false));
        }
    }
}
