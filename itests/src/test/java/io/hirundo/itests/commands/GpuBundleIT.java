package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The archive for bare machines: packed, unpacked, and run without an installed Java. */
@EnabledOnOs(
        value = OS.LINUX,
        architectures = "amd64",
        disabledReason = "the archive is made on the kind of machine that it is for")
class GpuBundleIT {
    private static final Path TOOL =
            Profiles.distro().resolve("../../../tools/gpu-bundle").normalize();
    private static final long LARGEST_BYTES = 40L << 20;

    private static final String SHORT_RUN = """
      run: {name: short}
      model:
        architecture: {name: llama, options: {vocabSize: 64, hiddenSize: 16, intermediateSize: 16, numHiddenLayers: 1,
          numAttentionHeads: 2, maxPositionEmbeddings: 16}}
      training: {steps: 2, sequenceTokens: 4, globalBatch: 1}
      data: {source: {name: synthetic, options: {vocabulary: 64}}}
      """;

    @TempDir
    private Path folder;

    @Test
    void isSmallAndRunsWithoutAJdk() throws Exception {
        Path archive = folder.resolve("gpu.tar.gz");
        // Packing twice would take long, so this run exceeds its limit, and the test checks the real limit below.
        Program.Result packed = pack("--limit", "1", archive.toString());
        assertEquals(70, packed.exitCode(), packed::toString);
        assertTrue(packed.err().contains("more than the 1 that it may have"), packed::toString);
        assertTrue(Files.size(archive) < LARGEST_BYTES, packed::toString);

        Program.Result unpacked = bare("tar", "xf", archive.toString());
        assertEquals(0, unpacked.exitCode(), unpacked::toString);
        String doctor = doctor();
        assertTrue(doctor.contains(" in " + folder.toRealPath().resolve("hirundo-gpu/jdk")), doctor);
        if (hasNvcc()) {
            // The program finds the kernels that the archive describes.
            assertTrue(doctor.contains("compiled beforehand by nvcc "), doctor);
        } else {
            assertTrue(
                    packed.err().contains("no nvcc on this machine: the other machine needs libnvrtc"),
                    packed::toString);
            assertFalse(doctor.contains("CUDA kernels"), doctor);
        }
        // A missing class or native library would show here.
        assertFalse(doctor.contains("WRONG"), doctor);
        Files.writeString(folder.resolve("short.yaml"), SHORT_RUN);
        Program.Result trained = hirundo("train", "short.yaml");
        assertEquals(0, trained.exitCode(), trained::toString);
        assertTrue(trained.out().contains("done, 2 steps"), trained::toString);
    }

    /** Without a GPU the first session calls it, and ends with the reason of the suite, its first step. */
    private String doctor() throws Exception {
        if (ProgramIT.hasNvidiaDriver()) {
            Program.Result doctor = hirundo("--profile", "cuda", "doctor");
            assertEquals(0, doctor.exitCode(), doctor::toString);
            return ProgramIT.unwrapped(doctor.out());
        }
        Program.Result session = bare("hirundo-gpu/first-session", "1");
        assertEquals(71, session.exitCode(), session::toString);
        assertTrue(session.err().startsWith("hirundo: there is no device cuda: "), session::toString);
        Path reports = folder.resolve("first-session.out");
        assertEquals("0", Files.readString(reports.resolve("environment.code")).strip());
        return ProgramIT.unwrapped(Files.readString(reports.resolve("environment.log")));
    }

    private static boolean hasNvcc() {
        return Stream.concat(Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/local/cuda/bin"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "nvcc")));
    }

    private Program.Result pack(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(
                List.of(TOOL.toString(), "--distro", Profiles.distro().toString()));
        command.addAll(List.of(arguments));
        return run(
                command, Map.of("HIRUNDO_JAVA_HOME", System.getProperty("java.home"), "PATH", System.getenv("PATH")));
    }

    private Program.Result hirundo(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("hirundo-gpu/hirundo"));
        command.addAll(List.of(arguments));
        return bare(command.toArray(String[]::new));
    }

    /** Neither JAVA_HOME nor anything else of the environment, and without the optimizing compiler, as {@link Program}. */
    private Program.Result bare(String... command) throws IOException, InterruptedException {
        return run(
                List.of(command),
                Map.of(
                        "PATH",
                        "/usr/bin:/bin",
                        "HOME",
                        folder.toString(),
                        "HIRUNDO_JAVA_OPTS",
                        "-XX:TieredStopAtLevel=1"));
    }

    private Program.Result run(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out-", ".txt");
        Path err = Files.createTempFile(folder, "err-", ".txt");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return new Program.Running(builder.start(), out, err).await();
    }
}
