package io.hirundo.tokenizerhf.internal.safety;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Limits that the kernel sets on the process that tries a file. They grow with the file: a vocabulary of 260,000 tokens (17 MB) takes
 * 0.7 GB and 3 seconds.
 *
 * @param memoryMegabytes of the JVM and the library together; what is reserved without use does not count
 * @param processorSeconds of all threads
 * @param heapMegabytes of the JVM alone
 */
record ProbeLimits(long memoryMegabytes, long processorSeconds, long heapMegabytes) {
    private static final long LEAST_MEGABYTES = 1024;
    private static final long MEGABYTES_PER_MEGABYTE = 80;
    private static final long LEAST_SECONDS = 60;
    private static final long SECONDS_PER_MEGABYTE = 3;
    private static final long LEAST_HEAP = 256;
    private static final long HEAP_PER_MEGABYTE = 8;

    /** The kernel sends SIGXCPU at the limit, and SIGKILL this much later. */
    private static final long SECONDS_TO_END = 5;

    private static final int SIGXCPU = 128 + 24;
    private static final int SIGKILL = 128 + 9;

    /** Of {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int HEAP_IS_FULL = 3;

    /**
     * A shell sets the limits before the JVM starts. A system limit that is lower already cannot be raised, and serves as well. Needs
     * nothing but POSIX's {@code sh}.
     */
    private static final String SHELL =
            "ulimit -c 0 2>/dev/null; ulimit -d \"$1\" 2>/dev/null; ulimit -St \"$2\" 2>/dev/null;"
                    + " ulimit -Ht \"$3\" 2>/dev/null; shift 3; exec \"$@\"";

    static ProbeLimits of(int bytes) {
        long megabytes = bytes / 1_000_000;
        return new ProbeLimits(
                LEAST_MEGABYTES + MEGABYTES_PER_MEGABYTE * megabytes,
                LEAST_SECONDS + SECONDS_PER_MEGABYTE * megabytes,
                LEAST_HEAP + HEAP_PER_MEGABYTE * megabytes);
    }

    /** The command that runs {@code command} within the limits, in the same process. */
    List<String> applied(List<String> command) {
        Stream<String> shell = Stream.of(
                "/bin/sh",
                "-c",
                SHELL,
                "sh",
                String.valueOf(memoryMegabytes << 10),
                String.valueOf(processorSeconds),
                String.valueOf(processorSeconds + SECONDS_TO_END));
        return Stream.concat(shell, command.stream()).toList();
    }

    /**
     * The limit that ended the process, as in {@code more than 1,024 MB of memory}; empty for another end.
     *
     * @param code exit code
     * @param panic what the process printed last
     */
    String exceeded(int code, String panic) {
        if (code == SIGXCPU) {
            return "more than " + processorSeconds + " seconds";
        }
        boolean isFull = code == HEAP_IS_FULL
                || code == SIGKILL
                || panic.contains("memory allocation of")
                || panic.contains("commit_memory")
                || panic.contains("insufficient memory")
                || panic.contains("GetStringUTFChars");
        return code != 0 && isFull ? String.format(Locale.ROOT, "more than %,d MB of memory", memoryMegabytes) : "";
    }
}
