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
      Block a = allocator.take(64);
      Block b = allocator.take(128);
      Block c = allocator.take(192);
      assertEquals(a.address() + 64, b.address());
      assertEquals(b.address() + 128, c.address());
      allocator.giveBack(a);
      allocator.giveBack(c);
      allocator.giveBack(b);
      assertEquals(a.address(), allocator.take(BlockAllocator.CHUNK_BYTES).address(), "the chunk is whole again");
      assertEquals(1, chunks.size());
    }
    assertTrue(chunks.isEmpty());
  }

  @Test
  void takesTheSmallestBlockThatFits() {
    try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
      Block large = allocator.take(1024);
      allocator.take(64);
      Block small = allocator.take(256);
      allocator.take(64);
      allocator.giveBack(large);
      allocator.giveBack(small);
      assertEquals(small.address(), allocator.take(192).address());
      assertEquals(large.address(), allocator.take(512).address());
      assertEquals(large.address() + 512, allocator.take(512).address());
    }
  }

  @Test
  void sameRequestsGetTheSamePlaces() {
    try (BlockAllocator allocator = new BlockAllocator(source, 1L << 40)) {
      List<Long> first = randomRequests(allocator);
      assertEquals(first, randomRequests(allocator), "again, after everything was given back");
      chunks.clear();
      nextAddress = 4096;
      assertEquals(first, randomRequests(new BlockAllocator(source, 1L << 40)));
    }
  }

  private static List<Long> randomRequests(BlockAllocator allocator) {
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
        Block block = allocator.take(bytes);
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
      allocator.take(3 * BlockAllocator.CHUNK_BYTES);
      assertEquals(3 * BlockAllocator.CHUNK_BYTES, allocator.chunkBytes());
    }
  }

  @Test
  void exhaustionNamesUsedBytes() {
    try (BlockAllocator allocator = new BlockAllocator(source, 100 * MIB)) {
      Block first = allocator.take(60 * MIB);
      allocator.take(30 * MIB);
      DeviceException failure = assertThrows(DeviceException.class, () -> allocator.take(20 * MIB));
      assertTrue(failure.getMessage().contains("20,971,520 bytes"), failure.getMessage());
      assertTrue(failure.getMessage().contains("94,371,840 of 104,857,600 in use"), failure.getMessage());
      allocator.giveBack(first);
      assertEquals(first.address(), allocator.take(60 * MIB).address(), "still usable");
      assertThrows(DeviceException.class, () -> allocator.take(101 * MIB));
    }
  }

  @Test
  void releasesIdleChunksBeforeMemoryIsExhausted() {
    try (BlockAllocator allocator = new BlockAllocator(source, 600 * MIB)) {
      Block first = allocator.take(256 * MIB);
      Block second = allocator.take(256 * MIB);
      allocator.giveBack(first);
      allocator.giveBack(second);
      allocator.take(500 * MIB);
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
      assertThrows(DeviceException.class, () -> allocator.take(64));
    }
  }
}
