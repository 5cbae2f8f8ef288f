package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Open MPI's {@code mpirun}, if this machine has it. */
final class OpenMpi {
    /** State of a socket in {@code /proc/net/tcp}. */
    private static final String LISTENS = "0A";
    /** 127.0.0.1, as it stands there. */
    private static final String LOOPBACK = "0100007F:";

    private OpenMpi() {}

    /** Skips the tests of a class that need it. */
    static void assumeThere(Class<?> test) {
        boolean isThere = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "mpirun")));
        if (!isThere) {
            System.out.println(test.getSimpleName() + " is skipped: there is no mpirun on the PATH");
        }
        assumeTrue(isThere, "there is no mpirun on the PATH");
    }

    /** The command that starts so many processes of a program. */
    static List<String> starter(int processes) {
        // Containers have few processors and root alone, and mpirun asks before it uses either.
        return List.of("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", String.valueOf(processes));
    }

    /** The addresses other than loopback on which processes that mpirun started listen now, as {@code /proc} has them. */
    static Set<String> listening(ProcessHandle mpirun) throws IOException {
        var found = new TreeSet<String>();
        for (ProcessHandle process : mpirun.descendants().toList()) {
            Path proc = Path.of("/proc", String.valueOf(process.pid()));
            try {
                Set<String> sockets = sockets(proc.resolve("fd"));
                for (String table : List.of("tcp", "tcp6")) {
                    Files.readAllLines(proc.resolve("net").resolve(table)).stream()
                            .map(line -> line.strip().split("\\s+"))
                            .filter(fields -> fields.length > 9
                                    && fields[3].equals(LISTENS)
                                    && sockets.contains("socket:[" + fields[9] + "]"))
                            .map(fields -> fields[1])
                            .filter(address -> !address.startsWith(LOOPBACK))
                            .forEach(found::add);
                }
            } catch (NoSuchFileException | UncheckedIOException ended) {
                // It ended meanwhile.
            }
        }
        return found;
    }

    private static Set<String> sockets(Path descriptors) throws IOException {
        var sockets = new HashSet<String>();
        try (Stream<Path> all = Files.list(descriptors)) {
            for (Path each : all.toList()) {
                try {
                    sockets.add(Files.readSymbolicLink(each).toString());
                } catch (NoSuchFileException closed) {
                    // Not listening.
                }
            }
        }
        return sockets;
    }
}
