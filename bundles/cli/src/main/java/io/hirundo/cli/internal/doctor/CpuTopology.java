package io.hirundo.cli.internal.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The logical CPUs of a Linux machine and those that this process may use. A core with simultaneous multithreading has
 * several logical CPUs, which are what Java and the scheduler count.
 *
 * @param root of the file system, {@code /} except in tests
 */
record CpuTopology(Path root) {
    private static final String CPUS = "sys/devices/system/cpu";

    /**
     * A count of CPUs.
     *
     * @param threads number of logical CPUs
     * @param cores number of cores they belong to
     */
    record Count(int threads, int cores) {}

    /** All online CPUs. */
    Count online() throws IOException {
        return count(onlineCpus());
    }

    /** The CPUs that the affinity mask ({@code taskset}) or a cpuset leaves to this process. */
    Count allowed() throws IOException {
        SortedSet<Integer> allowed = onlineCpus();
        for (String line : Files.readAllLines(root.resolve("proc/self/status"))) {
            if (line.startsWith("Cpus_allowed_list:")) {
                allowed.retainAll(parse(line.substring(line.indexOf(':') + 1)));
            }
        }
        return count(allowed);
    }

    private SortedSet<Integer> onlineCpus() throws IOException {
        return parse(Files.readString(root.resolve(CPUS).resolve("online")));
    }

    private Count count(SortedSet<Integer> cpus) throws IOException {
        var cores = new TreeSet<String>();
        for (int cpu : cpus) {
            cores.add(coreOf(cpu));
        }
        return new Count(cpus.size(), cores.size());
    }

    /** The list of CPUs of the same core, used as its name: core numbers repeat across sockets. */
    private String coreOf(int cpu) throws IOException {
        Path topology = root.resolve(CPUS).resolve("cpu" + cpu).resolve("topology");
        // Older kernels use the second name.
        for (String name : List.of("core_cpus_list", "thread_siblings_list")) {
            if (Files.exists(topology.resolve(name))) {
                return Files.readString(topology.resolve(name)).strip();
            }
        }
        return String.valueOf(cpu);
    }

    /** Parses the kernel's list format: {@code 0-3,8}. */
    private static SortedSet<Integer> parse(String list) {
        var cpus = new TreeSet<Integer>();
        for (String range : list.strip().split(",")) {
            if (!range.isEmpty()) {
                String[] ends = range.split("-");
                for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                    cpus.add(cpu);
                }
            }
        }
        return cpus;
    }
}
