package io.hirundo.cli.internal.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The limits that mounted Linux control groups, version 1 and 2, set for this process: those of its own group and of all
 * parents.
 */
final class ControlGroups {
    /** Version 1 writes "no memory limit" as a number near 2^63. */
    private static final double NO_MEMORY_LIMIT = 0x1p62;

    private final Path root;
    private final List<String> groups;
    private final List<String> mounts;

    private ControlGroups(Path root, List<String> groups, List<String> mounts) {
        this.root = root;
        this.groups = groups;
        this.mounts = mounts;
    }

    /** Reads the groups of this process; {@code root}: of the file system, {@code /} except in tests. */
    static ControlGroups read(Path root) throws IOException {
        Path self = root.resolve("proc/self");
        return Files.exists(self.resolve("cgroup"))
                ? new ControlGroups(
                        root, Files.readAllLines(self.resolve("cgroup")), Files.readAllLines(self.resolve("mountinfo")))
                : new ControlGroups(root, List.of(), List.of());
    }

    /** CPU seconds per second. */
    OptionalDouble cpuLimit() throws IOException {
        return Stream.concat(
                        limits("cpu", ControlGroups::quotaOfVersion1).stream(),
                        limits("", ControlGroups::quotaOfVersion2).stream())
                .mapToDouble(limit -> limit)
                .min();
    }

    OptionalLong memoryLimitBytes() throws IOException {
        return Stream.concat(
                        limits("memory", group -> number(group.resolve("memory.limit_in_bytes"))).stream(),
                        limits("", group -> number(group.resolve("memory.max"))).stream())
                .filter(limit -> limit < NO_MEMORY_LIMIT)
                .mapToLong(Double::longValue)
                .min();
    }

    private static double quotaOfVersion1(Path group) {
        double quotaMicros = number(group.resolve("cpu.cfs_quota_us"));
        // -1: no limit.
        return quotaMicros < 0 ? Double.POSITIVE_INFINITY : quotaMicros / number(group.resolve("cpu.cfs_period_us"));
    }

    /** {@code max 100000} or {@code 150000 100000}. */
    private static double quotaOfVersion2(Path group) {
        String[] words = text(group.resolve("cpu.max")).split(" ");
        return words.length < 2 || words[0].equals("max")
                ? Double.POSITIVE_INFINITY
                : Double.parseDouble(words[0]) / Double.parseDouble(words[1]);
    }

    private static double number(Path file) {
        String text = text(file);
        return text.isEmpty() || text.equals("max") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    /** Empty if the file does not exist: the root group has no limits. */
    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file).strip() : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Limits of this process's group and of each parent; {@code controller}: of version 1, or empty for version 2. */
    private List<Double> limits(String controller, ToDoubleFunction<Path> limit) {
        List<Double> limits = new ArrayList<>();
        for (String line : mounts) {
            Mount mount = Mount.parse(line);
            if (!mount.holds(controller)) {
                continue;
            }
            Path top = root.resolve(mount.point.substring(1));
            for (Path group = top.resolve(mount.below(path(controller)));
                    group.startsWith(top);
                    group = group.getParent()) {
                double found = limit.applyAsDouble(group);
                if (Double.isFinite(found)) {
                    limits.add(found);
                }
            }
        }
        return limits;
    }

    /** The group of this process: from {@code 4:cpu,cpuacct:/user} of version 1, from {@code 0::/user} of version 2. */
    private String path(String controller) {
        for (String line : groups) {
            String[] fields = line.split(":", 3);
            if (List.of(fields[1].split(",")).contains(controller)) {
                return fields[2];
            }
        }
        return "/";
    }

    /** A line of mountinfo, {@code 36 35 98:0 ROOT POINT OPTIONS - TYPE SOURCE CONTROLLERS}. */
    private record Mount(String root, String point, String type, List<String> options) {
        static Mount parse(String line) {
            String[] fields = line.split(" ");
            int dash = List.of(fields).indexOf("-");
            return new Mount(
                    fields[3],
                    fields[4].replace("\\040", " "),
                    fields[dash + 1],
                    List.of(fields[fields.length - 1].split(",")));
        }

        boolean holds(String controller) {
            return controller.isEmpty()
                    ? type.equals("cgroup2")
                    : type.equals("cgroup") && options.contains(controller);
        }

        /** A container sees only part of the group tree, but the kernel may report the full path. */
        String below(String group) {
            String relative = root.equals("/")
                    ? group
                    : group.equals(root) || group.startsWith(root + "/") ? group.substring(root.length()) : "";
            String path = relative.startsWith("/") ? relative.substring(1) : relative;
            return path.startsWith("..") ? "" : path;
        }
    }
}
