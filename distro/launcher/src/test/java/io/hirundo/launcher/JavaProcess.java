package io.hirundo.launcher;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main class of a test in a JVM of its own. */
record JavaProcess(Process process, BufferedReader out) implements AutoCloseable {
    /** {@code starter}: the command that starts the JVM, if any. */
    static JavaProcess start(List<String> starter, List<String> flags, Class<?> main, String... arguments)
            throws IOException {
        // A background job ignores SIGINT, and so would its children.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
        command.addAll(starter);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new JavaProcess(process, process.inputReader());
    }

    /** As in {@code TERM}; returns when it was sent. */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .waitFor();
    }

    /** Writes a line; returns the next that the process prints. */
    String ask() throws IOException {
        process.outputWriter().write("\n");
        process.outputWriter().flush();
        return nextLine();
    }

    String nextLine() throws IOException {
        return out.readLine();
    }

    int exitCode() throws InterruptedException {
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        out.close();
    }
}
