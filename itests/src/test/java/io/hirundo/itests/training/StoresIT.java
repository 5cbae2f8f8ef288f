package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The built program with stores for its checkpoints. */
class StoresIT {
    private static final int VOCABULARY = 256;

    @TempDir
    private Path folder;

    private String[] training(String store, String... more) {
        List<String> arguments = TinyTraining.arguments(
                VOCABULARY,
                List.of(
                        "run.directory=" + folder.resolve("runs"),
                        "training.steps=6",
                        "mesh.data=2",
                        "checkpoint.strategy=sync",
                        "checkpoint.everySteps=2",
                        "checkpoint.store=" + store));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @Test
    void aRunIsResumedFromItsCopiesAlone() throws Exception {
        String store = "{name: folder, options: {path: " + Files.createDirectory(folder.resolve("away")) + "}}";
        Program.Result first = InProcess.command(training(store));
        assertEquals(0, first.exitCode(), first::toString);
        Program.Result listed = InProcess.command(
                "checkpoint", "list", folder.resolve("runs/synthetic").toString(), "--copies");
        assertTrue(
                listed.out()
                        .lines()
                        .anyMatch(line -> line.matches("step-00000006 .* " + folder.resolve("away/synthetic"))),
                listed::toString);
        Files.move(folder.resolve("runs"), folder.resolve("lost"));
        Program.Result resumed =
                InProcess.command(training(store, "--resume", "--lr-schedule", "stretch", "--set", "training.steps=8"));
        assertEquals(0, resumed.exitCode(), resumed::toString);
        assertTrue(resumed.out().contains("checkpoint fetched in"), resumed::toString);
        assertTrue(resumed.out().contains("steps 7 to 8"), resumed::toString);
    }

    /** What the S3 bundle has inside finds its classes in a framework: it gets as far as the socket. */
    @Test
    void aServerThatIsNotThereIsToldBeforeTheFirstStep() throws Exception {
        var keys = Map.of("AWS_ACCESS_KEY_ID", "somebody", "AWS_SECRET_ACCESS_KEY", "something secret");
        Program.Result rejected = Program.installed(folder)
                .start(
                        keys,
                        training(
                                "{name: s3, options: {bucket: copies, endpoint: 'http://127.0.0.1:1', pathStyle: true}}"))
                .await();
        assertEquals(74, rejected.exitCode(), rejected::toString);
        assertTrue(
                rejected.err().contains("s3://copies at http://127.0.0.1:1: ")
                        && rejected.err().matches("(?s).*[Rr]efused.*"),
                rejected::toString);
    }
}
