package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The GPU suite without a GPU: on the driver stub that the tests of {@code device-cuda} build. */
class GpuSuiteIT {
    private static final Path STUBS = Profiles.distro()
            .resolve("../../../bundles/device-cuda/target/stub-cuda")
            .normalize();

    @TempDir
    private Path folder;

    /** A folder with a driver, a compiler and the kernels that it compiled before. */
    private static Optional<Path> stub() throws IOException {
        if (!Files.isDirectory(STUBS)) {
            return Optional.empty();
        }
        try (Stream<Path> folders = Files.list(STUBS)) {
            return folders.filter(stub -> Files.exists(stub.resolve("libcuda.so.1")))
                    .max(Comparator.comparing(stub -> stub.toFile().lastModified()));
        }
    }

    /** The trainer, the model, the strategies and every kernel of a step, on emulated threads that run one by one. */
    @Test
    void aStepOnTheEmulatedGpuIsThatOfTheCpuInEveryPrecision() throws Exception {
        Optional<Path> stub = stub();
        assumeTrue(
                stub.isPresent(),
                "the tests of device-cuda have built no stub of a driver: they were skipped, or there is no g++");
        String path = stub.get().toString();
        Program.Result result = Program.installed(folder)
                .start(
                        Map.of("LD_LIBRARY_PATH", path, "HIRUNDO_CACHE", path),
                        "gpu-suite",
                        "--toolkit",
                        path,
                        "--parts",
                        "model",
                        "--no-limits")
                .await();

        assertEquals(0, result.exitCode(), result::toString);
        // Earlier lines report the start of the part and, on a slow machine, its progress.
        List<String> lines = result.out().lines().toList();
        assertEquals(
                List.of("model: loss and gradients agree in fp32, bf16, fp8-blockwise", "see gpu-suite.md"),
                lines.subList(lines.size() - 2, lines.size()));
        String report = Files.readString(folder.resolve("gpu-suite.md"));
        assertTrue(report.contains("\nNVIDIA H200 (stub), "), report);
        assertTrue(report.contains("GEMMs by cuBLASLt 13.0 "), report);
        // The values were compared and rounded: they differ, within the tolerance.
        assertTrue(report.matches("(?s).*\\| bf16 \\| 5\\.8[0-9]+ \\| [1-9][^|]+ \\| 1e-04 \\|.*"), report);
    }

    /** On the CPU, with a small model. Interrupts the suite while it waits for PyTorch, which a shell script replaces. */
    @Test
    void whoInterruptsGetsAReportOfTheStepsThatWereTimed() throws Exception {
        Path python = Files.writeString(
                folder.resolve("python"), "#!/bin/sh\necho READY torch\nread request\ntouch asked\nread never\n");
        Files.setPosixFilePermissions(python, PosixFilePermissions.fromString("rwx------"));
        Program.Running running = Program.installed(folder)
                .start(
                        Map.of(),
                        "gpu-suite",
                        "--device",
                        "cpu",
                        "--parts",
                        "step",
                        "--no-limits",
                        "--python",
                        python.toString());
        running.awaitUntil(() -> Files.exists(folder.resolve("asked")));
        running.signal("INT");
        Program.Result result = running.await();

        assertEquals(130, result.exitCode(), result::toString);
        String report = Files.readString(folder.resolve("gpu-suite.md"));
        assertTrue(report.contains("; ended by the user | "), report);
        assertTrue(
                report.matches(
                        "(?s).*\\n\\| whole \\| bf16 \\| [0-9.]+ \\| [0-9]+ \\| [0-9.]+ \\| [0-9.]+ % \\|  \\|  \\|\\n.*"),
                report);
        assertTrue(report.contains("\nTrained architecture: llama.\n"), report);
    }
}
