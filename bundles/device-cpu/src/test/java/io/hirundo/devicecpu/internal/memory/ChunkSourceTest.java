package io.hirundo.devicecpu.internal.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChunkSourceTest {
  @Test
  void linuxIsAskedForHugePages() throws IOException {
    assumeTrue(Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage")), "this system has no huge pages");
    ChunkSource source = ChunkSource.nativeHeap();
    long address = source.take(3 * ChunkSource.HUGE_PAGE_BYTES);
    try {
      long inside = address + ChunkSource.HUGE_PAGE_BYTES - 1 & -ChunkSource.HUGE_PAGE_BYTES;
      assertTrue(flags(inside).contains(" hg"), "flags of the mapping: " + flags(inside));
    } finally {
      source.giveBack(address);
    }
  }

  /** {@code VmFlags} of the mapping that has the address, see proc(5). */
  private static String flags(long address) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
    boolean isInside = false;
    for (String line : lines) {
      String[] range = line.split("[- ]");
      if (range.length > 2 && range[0].matches("[0-9a-f]+") && range[1].matches("[0-9a-f]+")) {
        isInside = Long.compareUnsigned(Long.parseUnsignedLong(range[0], 16), address) <= 0
            && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0;
      } else if (isInside && line.startsWith("VmFlags:")) {
        return line;
      }
    }
    return "no mapping";
  }
}
