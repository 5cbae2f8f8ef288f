package io.hirundo.checkpointdcp.internal.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Memory of this process, and how much of it the JVM takes for itself.
 *
 * @param residentBytes resident memory, as the kernel counts it
 * @param heapBytes Java heap that is committed, thus may be resident
 * @param codeBytes committed memory for classes and compiled code
 */
record ProcessMemory(long residentBytes, long heapBytes, long codeBytes) {
    static ProcessMemory now() {
        return new ProcessMemory(resident(), committed(MemoryType.HEAP), committed(MemoryType.NON_HEAP));
    }

    ProcessMemory minus(ProcessMemory other) {
        return new ProcessMemory(
                residentBytes - other.residentBytes, heapBytes - other.heapBytes, codeBytes - other.codeBytes);
    }

    /** Each figure's maximum. */
    ProcessMemory max(ProcessMemory other) {
        return new ProcessMemory(
                Math.max(residentBytes, other.residentBytes),
                Math.max(heapBytes, other.heapBytes),
                Math.max(codeBytes, other.codeBytes));
    }

    private static long resident() {
        try {
            String line = Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(each -> each.startsWith("VmRSS:"))
                    .findFirst()
                    .orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long committed(MemoryType type) {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == type)
                .mapToLong(pool -> pool.getUsage().getCommitted())
                .sum();
    }
}
