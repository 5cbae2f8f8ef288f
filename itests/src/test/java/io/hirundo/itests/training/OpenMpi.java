package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Open MPI's {@code mpirun}, if this machine has it. */
final class OpenMpi {
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
}
