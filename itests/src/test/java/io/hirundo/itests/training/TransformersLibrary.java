package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Python that has the Transformers library; the property {@code hirundo.python} names it. */
final class TransformersLibrary {
    private static final Path SCRIPTS =
            Path.of("..", "tools", "interop").toAbsolutePath().normalize();

    private TransformersLibrary() {}

    /** Skips the tests of a class that need it. */
    static void assumeThere(Class<?> test) throws InterruptedException {
        String missing = missing();
        if (!missing.isEmpty()) {
            System.out.println(test.getSimpleName() + " is skipped: " + missing);
        }
        assumeTrue(missing.isEmpty(), missing);
    }

    private static String missing() throws InterruptedException {
        String remedy =
                "; pip install -r tools/interop/requirements.txt, and give that Python with -Dhirundo.python=FILE";
        try {
            Process process = start(List.of("-c", "import torch, transformers, tokenizers"));
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0 ? "" : python() + " has no torch and transformers" + remedy;
        } catch (IOException absent) {
            return "there is no " + python() + remedy;
        }
    }

    /** What a script of {@code tools/interop} prints; it must succeed. */
    static String run(String script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(SCRIPTS.resolve(script).toString()));
        command.addAll(List.of(arguments));
        Process process = start(command);
        String printed = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new AssertionError(
                    String.join(" ", command) + " ended with " + process.exitValue() + ":\n" + printed);
        }
        return printed;
    }

    private static Process start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(python()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // Folders of this repository only: it must not ask a server for models.
        builder.environment().put("HF_HUB_OFFLINE", "1");
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        return builder.start();
    }

    private static String python() {
        return System.getProperty("hirundo.python");
    }
}
