package io.hirundo.itests.program;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The built program in a process of its own, as a user has it, but for the optimizing compiler: of a short process's CPU seconds it takes
 * most and gives nothing back. Trainings therefore use reference kernels ({@link TinyTraining#REFERENCE_KERNELS}); where the default
 * kernels are the subject, {@link #compilingKernels} and {@link #AS_SHIPPED} have the compiler.
 *
 * @param home a distro
 * @param folder the working directory; what the program prints is kept there too
 */
public record Program(Path home, Path folder) {
    /** The environment of a process with all JVM compilers. */
    public static final Map<String, String> AS_SHIPPED = Map.of("HIRUNDO_JAVA_OPTS", "");

    /** Only the CPU device's kernels are worth the optimizing compiler. */
    private static final Path COMPILED =
            Profiles.distro().resolve("../../../cnf/test-compiler.json").normalize();

    private static final String WITHOUT_OPTIMIZING_COMPILER = "-XX:TieredStopAtLevel=1";

    /** A process that takes longer counts as hanging. */
    public static final Duration LIMIT = Duration.ofMinutes(5);

    /** Exit code and output of a process. */
    public record Result(int exitCode, String out, String err) {}

    public static Program installed(Path folder) {
        return new Program(Profiles.distro(), folder);
    }

    /** As {@link #installed}, with folders that a test may change. */
    public static Program copied(Path folder, String name) throws IOException {
        ClassArchive.make();
        Program copy = new Program(Profiles.copyOfDistro(folder.resolve(name)), folder);
        ClassArchive.copyTo(copy.home);
        return copy;
    }

    /** The environment of a process whose optimizing compiler compiles the CPU device's kernels only. */
    public Map<String, String> compilingKernels() throws IOException {
        // Into the working directory: these options cannot contain spaces, as the path of a source tree may.
        Files.copy(COMPILED, folder.resolve(COMPILED.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        return Map.of(
                "HIRUNDO_JAVA_OPTS",
                "-XX:+UnlockDiagnosticVMOptions -XX:-DisplayVMOutput -XX:CompilerDirectivesFile="
                        + COMPILED.getFileName());
    }

    /** A file in the folder that is watched for jars. */
    public Path plugin(String jar) {
        return home.resolve("plugins").resolve(jar);
    }

    /** Runs a command to its end. */
    public Result run(String... arguments) throws IOException, InterruptedException {
        return start(Map.of(), arguments).await();
    }

    /** Starts a command; the environment is added to that of the test. */
    public Running start(Map<String, String> environment, String... arguments) throws IOException {
        return startWith(List.of(), environment, arguments);
    }

    /** As {@link #start}, by another program that starts it. */
    public Running startWith(List<String> starter, Map<String, String> environment, String... arguments)
            throws IOException {
        ClassArchive.make();
        // A shell's background job, CI for instance, ignores SIGINT, and so would its children: Ctrl-C could not be
        // tested.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
        command.addAll(starter);
        command.add(home.resolve("bin").resolve("hirundo").toString());
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out-", ".txt");
        Path err = Files.createTempFile(folder, "err-", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("HIRUNDO_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("HIRUNDO_JAVA_OPTS", WITHOUT_OPTIMIZING_COMPILER);
        builder.environment().putAll(environment);
        return new Running(builder.start(), out, err);
    }

    /** A process that may be interrupted. */
    public record Running(Process process, Path out, Path err) {
        private static final long BETWEEN_LOOKS_MILLIS = 20;

        /** Waits until the condition holds, while the process runs. */
        public void awaitUntil(Callable<Boolean> condition) throws Exception {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!condition.call()) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    process.destroyForcibly();
                    throw new AssertionError("ended too early, or did not do what was waited for: " + await());
                }
                Thread.sleep(BETWEEN_LOOKS_MILLIS);
            }
        }

        /** As in {@code INT}, which Ctrl-C is. */
        public void signal(String name) throws IOException, InterruptedException {
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
        }

        public Result await() throws IOException, InterruptedException {
            boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
            }
            Result result = new Result(ended ? process.exitValue() : -1, Files.readString(out), Files.readString(err));
            assertTrue(ended, () -> "did not end within " + LIMIT + ": " + result);
            return result;
        }
    }
}
