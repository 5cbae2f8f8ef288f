package io.hirundo.cli.internal.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.command.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What doctor says of machines, told by trees of files as the kernel shows them. */
class MachineCheckTest {
    private static final String SYSTEM =
            ", 64.0 GiB of memory, " + System.getProperty("os.name") + " " + System.getProperty("os.arch");
    private static final String V2_MOUNT = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";

    @TempDir
    private Path root;

    /** Two sockets of two cores of two threads, unlimited. */
    @BeforeEach
    void machine() throws IOException {
        write("sys/devices/system/cpu/online", "0-7");
        for (int cpu = 0; cpu < 8; cpu++) {
            write("sys/devices/system/cpu/cpu" + cpu + "/topology/core_cpus_list", (cpu % 4) + "," + (cpu % 4 + 4));
            // The same in both sockets.
            write("sys/devices/system/cpu/cpu" + cpu + "/topology/core_id", String.valueOf(cpu % 2));
        }
        write("proc/meminfo", "MemTotal:       67108864 kB\nMemFree:        1 kB");
        affinity("0-7");
        write("proc/self/cgroup", "0::/");
        write("proc/self/mountinfo", V2_MOUNT);
    }

    @Test
    void countsCoresApartFromHardwareThreads() {
        assertEquals(List.of("4 cores with 8 hardware threads" + SYSTEM), found());
    }

    @Test
    void countsCoresOfAnOlderKernel() throws IOException {
        for (int cpu = 0; cpu < 8; cpu++) {
            Path topology = root.resolve("sys/devices/system/cpu/cpu" + cpu + "/topology");
            Files.move(topology.resolve("core_cpus_list"), topology.resolve("thread_siblings_list"));
        }
        assertEquals(List.of("4 cores with 8 hardware threads" + SYSTEM), found());
    }

    @Test
    void leavesOutProcessorsThatAreOffline() throws IOException {
        write("sys/devices/system/cpu/online", "0-3");
        assertEquals(List.of("4 cores" + SYSTEM), found());
    }

    @Test
    void respectsTheAffinity() throws IOException {
        affinity("1,4-5,64");
        assertEquals(
                List.of(
                        "4 cores with 8 hardware threads" + SYSTEM,
                        "this process may use 2 cores with 3 hardware threads (CPU affinity)"),
                found());
        affinity("0");
        assertEquals("this process may use 1 core (CPU affinity)", found().getLast());
    }

    @Test
    void respectsVersion2LimitsOfAllParentGroups() throws IOException {
        write("proc/self/cgroup", "0::/slice/job/step");
        write("sys/fs/cgroup/slice/cpu.max", "250000 100000");
        write("sys/fs/cgroup/slice/memory.max", "max");
        write("sys/fs/cgroup/slice/job/cpu.max", "max 100000");
        write("sys/fs/cgroup/slice/job/memory.max", String.valueOf(8L << 30));
        write("sys/fs/cgroup/slice/job/step/cpu.max", "400000 100000");
        write("sys/fs/cgroup/slice/job/step/memory.max", String.valueOf(16L << 30));
        assertEquals(
                "this process may use the time of 2.50 processors (cgroup CPU quota), 8.0 GiB of memory (cgroup limit)",
                found().getLast());
    }

    @Test
    void respectsVersion1Limits() throws IOException {
        write("proc/self/cgroup", "5:cpu,cpuacct:/batch/job\n4:memory:/batch/job\n1:name=systemd:/\n0::/");
        write(
                "proc/self/mountinfo",
                "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
                        + "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
                        + "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory");
        write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
        write("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "50000");
        write("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000");
        write("sys/fs/cgroup/cpu,cpuacct/batch/job/cpu.cfs_quota_us", "-1");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
        write("sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes", String.valueOf(3L << 29));
        assertEquals(
                "this process may use the time of 0.50 processors (cgroup CPU quota), 1.5 GiB of memory (cgroup limit)",
                found().getLast());
    }

    @Test
    void respectsLimitsOfAContainerThatSeesOnlyItsOwnGroup() throws IOException {
        write("proc/self/cgroup", "4:memory:/docker/c0ffee");
        write("proc/self/mountinfo", "35 31 0:32 /docker/c0ffee /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", String.valueOf(2L << 30));
        assertEquals("this process may use 2.0 GiB of memory (cgroup limit)", found().getLast());

        write("proc/self/cgroup", "0::/../..");
        write("proc/self/mountinfo", V2_MOUNT);
        write("sys/fs/cgroup/memory.max", String.valueOf(4L << 30));
        assertEquals("this process may use 4.0 GiB of memory (cgroup limit)", found().getLast());
    }

    @Test
    void omitsLimitsAboveTheMachinesResources() throws IOException {
        write("sys/fs/cgroup/cpu.max", "800000 100000");
        write("sys/fs/cgroup/memory.max", String.valueOf(128L << 30));
        assertEquals(1, found().size());
    }

    /** Of this machine, whatever it is. */
    @Test
    void describesThisMachine() {
        assertEquals(
                1,
                new MachineCheck()
                        .look().stream()
                                .filter(finding -> finding.subject().equals("Machine"))
                                .count());
    }

    private List<String> found() {
        return new MachineCheck(root)
                .look().stream()
                        .filter(finding -> finding.subject().equals("Machine")
                                || finding.subject().equals("Limits"))
                        .map(Check.Finding::text)
                        .toList();
    }

    private void affinity(String list) throws IOException {
        write(
                "proc/self/status",
                "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t" + list + "\nMems_allowed_list:\t0");
    }

    private void write(String file, String content) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content + "\n");
    }
}
