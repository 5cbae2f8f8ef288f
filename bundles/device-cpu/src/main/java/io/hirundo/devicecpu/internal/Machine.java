package io.hirundo.devicecpu.internal;

import com.sun.management.OperatingSystemMXBean;
import io.hirundo.device.DeviceInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import jdk.incubator.vector.FloatVector;

/** What this machine is. */
final class Machine {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    private static DeviceInfo description;

    /** Read from the system once: each rank opens a device, and files of the system take longer to read than all else that this needs. */
    static synchronized DeviceInfo describe() {
        if (description == null) {
            description = read();
        }
        return description;
    }

    private static DeviceInfo read() {
        int bits = FloatVector.SPECIES_PREFERRED.vectorBitSize();
        return new DeviceInfo(
                "cpu",
                0,
                processorName(),
                System.getProperty("os.arch") + ", " + bits + "-bit vectors",
                physicalBytes());
    }

    /** Physical memory, or less where a container is allowed less. */
    private static long physicalBytes() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    }

    /** As the maker calls it, where the system tells (Linux on x86); the architecture elsewhere. */
    private static String processorName() {
        String unknown = System.getProperty("os.arch") + " processor";
        if (!Files.isReadable(CPU_INFO)) {
            return unknown;
        }
        try (Stream<String> lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(unknown);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Machine() {}
}
