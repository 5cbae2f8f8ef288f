package io.hirundo.devicecpu.internal.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChunkSourceTest {
    private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");

    @Test
    void asksForHugePages() throws IOException {
        assumeTrue(
                Files.isReadable(HUGE_PAGES) && Files.isReadable(MAPPINGS),
                "this system has no huge pages of its own accord");
        ChunkSource source = ChunkSource.nativeHeap();
        long bytes = 64L << 20;
        long chunk = source.take(bytes);
        try {
            // hg: the flag of memory that may have huge pages.
            String flags = flagsAt(chunk + bytes / 2);
            assertTrue((" " + flags + " ").contains(" hg "), () -> "flags of the chunk:" + flags);
        } finally {
            source.giveBack(chunk);
        }
    }

    /** The flags of the mapping that holds an address. */
    private static String flagsAt(long address) throws IOException {
        List<String> lines = Files.readAllLines(MAPPINGS);
        boolean inside = false;
        for (String line : lines) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                String[] range = line.substring(0, line.indexOf(' ')).split("-");
                inside = Long.parseUnsignedLong(range[0], 16) <= address
                        && address < Long.parseUnsignedLong(range[1], 16);
            } else if (inside && line.startsWith("VmFlags:")) {
                return line.substring(8);
            }
        }
        return "";
    }
}
