package io.hirundo.cli.internal.doctor;

import io.hirundo.cli.internal.quickstart.SampleText;
import io.hirundo.command.Check;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Checks the JDK and the machine. */
@Component
public final class MachineCheck implements Check {
    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    private final Path root;

    @Activate
    public MachineCheck() {
        this(Path.of("/"));
    }

    /** {@code root}: of the file system, {@code /} except in tests. */
    MachineCheck(Path root) {
        this.root = root;
    }

    @Override
    public List<Finding> look() {
        var findings = new ArrayList<>(List.of(jdk(), vectorApi()));
        findings.addAll(machine());
        findings.add(sources());
        return findings;
    }

    private static Finding jdk() {
        return new Finding(
                State.GOOD,
                "JDK",
                Runtime.version() + " (" + System.getProperty("java.vendor") + ") in "
                        + System.getProperty("java.home"));
    }

    private static Finding vectorApi() {
        boolean there = ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();
        return there
                ? new Finding(State.GOOD, "Vector API", "module " + VECTOR_MODULE + " is there")
                : new Finding(
                        State.BAD,
                        "Vector API",
                        "start Java with --add-modules=" + VECTOR_MODULE + ", as the hirundo script does");
    }

    private List<Finding> machine() {
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        try {
            return Files.exists(root.resolve("proc/self/status")) ? linux(system) : List.of(other(system));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private List<Finding> linux(String system) throws IOException {
        var topology = new CpuTopology(root);
        CpuTopology.Count online = topology.online();
        CpuTopology.Count allowed = topology.allowed();
        ControlGroups groups = ControlGroups.read(root);
        OptionalDouble cpuLimit = groups.cpuLimit();
        OptionalLong memoryLimit = groups.memoryLimitBytes();
        long memory = physicalBytes();
        var findings = new ArrayList<Finding>();
        findings.add(new Finding(State.GOOD, "Machine", cores(online) + ", " + gib(memory) + " of memory, " + system));
        var limits = new ArrayList<String>();
        if (allowed.threads() < online.threads()) {
            limits.add(cores(allowed) + " (CPU affinity)");
        }
        if (cpuLimit.isPresent() && cpuLimit.getAsDouble() < allowed.threads()) {
            limits.add(String.format(
                    Locale.ROOT, "the time of %.2f processors (cgroup CPU quota)", cpuLimit.getAsDouble()));
        }
        if (memoryLimit.isPresent() && memoryLimit.getAsLong() < memory) {
            limits.add(gib(memoryLimit.getAsLong()) + " of memory (cgroup limit)");
        }
        if (!limits.isEmpty()) {
            findings.add(new Finding(State.GOOD, "Limits", "this process may use " + String.join(", ", limits)));
        }
        return findings;
    }

    /** Without {@code /proc}: Java counts logical CPUs within the limits. */
    private static Finding other(String system) {
        String memory = "";
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os) {
            memory = ", " + gib(os.getTotalMemorySize()) + " of memory";
        }
        int threads = Runtime.getRuntime().availableProcessors();
        return new Finding(State.GOOD, "Machine", counted(threads, "processor") + memory + ", " + system);
    }

    private long physicalBytes() throws IOException {
        for (String line : Files.readAllLines(root.resolve("proc/meminfo"))) {
            if (line.startsWith("MemTotal:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException(root.resolve("proc/meminfo") + " has no MemTotal");
    }

    private static String cores(CpuTopology.Count count) {
        String cores = counted(count.cores(), "core");
        return count.threads() == count.cores()
                ? cores
                : cores + " with " + counted(count.threads(), "hardware thread");
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private static String gib(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / 0x1p30);
    }

    private static Finding sources() {
        var archive = SampleText.ofThisJdk();
        return Files.isReadable(archive)
                ? new Finding(State.GOOD, "Sample text", archive.toString())
                : new Finding(
                        State.ABSENT,
                        "Sample text",
                        "this JDK has no " + archive + "; quickstart uses the sources of Hirundo's "
                                + "dependencies, or the text that --data names");
    }
}
