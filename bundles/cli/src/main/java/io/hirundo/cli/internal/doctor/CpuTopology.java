package io.hirundo.cli.internal.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The processors of a Linux machine and those that this process may use. A core with simultaneous multithreading is several
 * processors, which Java and the scheduler count.
 *
 * @param root of the file system, {@code /} but in tests
 */
record CpuTopology(Path root) {
  private static final String CPUS = "sys/devices/system/cpu";

  /**
   * Some processors.
   *
   * @param threads how many there are
   * @param cores of how many cores they are
   */
  record Count(int threads, int cores) {}

  /** All that are online. */
  Count online() throws IOException {
    return count(onlineCpus());
  }

  /** Those that the CPU affinity, {@code taskset} for instance, or a cpuset leaves to this process. */
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

  /** The processors of the same core, which names it: core numbers may come again in another socket. */
  private String coreOf(int cpu) throws IOException {
    Path topology = root.resolve(CPUS).resolve("cpu" + cpu).resolve("topology");
    // The second is what older kernels call the first.
    for (String name : List.of("core_cpus_list", "thread_siblings_list")) {
      if (Files.exists(topology.resolve(name))) {
        return Files.readString(topology.resolve(name)).strip();
      }
    }
    return String.valueOf(cpu);
  }

  /** As the kernel writes lists: {@code 0-3,8}. */
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
