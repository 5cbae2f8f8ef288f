package io.hirundo.cli.internal.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ExitCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Which commands quickstart runs; they themselves are tested where they are. */
class QuickstartCommandTest {
    private static final List<String> PROPERTIES = List.of("hirundo.home", "hirundo.cache", "hirundo.sources");

    @TempDir
    private Path folder;

    private final List<List<String>> script = new ArrayList<>();

    @BeforeEach
    void setProperties() {
        // The last one is the text where the JDK of the test has no sources.
        PROPERTIES.forEach(name -> System.setProperty(name, folder.toString()));
    }

    @AfterEach
    void clearProperties() {
        PROPERTIES.forEach(System::clearProperty);
    }

    private List<String> names(String... arguments) {
        assertEquals(ExitCode.OK, run(arguments));
        return script.stream()
                .map(words -> words.get(0) + (words.get(0).equals("data") ? " " + words.get(1) : ""))
                .toList();
    }

    private int run(String... arguments) {
        var command = new QuickstartCommand(words -> {
            script.add(List.of(words));
            return ExitCode.OK;
        });
        var all = new ArrayList<>(List.of("--run-dir", folder.resolve("runs").toString()));
        all.addAll(List.of(arguments));
        return new CommandLine(command).execute(all.toArray(String[]::new));
    }

    private List<String> command(String name) {
        return script.stream()
                .filter(words -> words.getFirst().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void cleansItsOwnTextAndEvaluatesHeldOutText() {
        assertEquals(
                List.of(
                        "config",
                        "data clean",
                        "data train-tokenizer",
                        "data tokenize",
                        "train",
                        "generate",
                        "eval",
                        "report"),
                names());
        List<String> clean = script.get(1);
        String text = clean.get(clean.indexOf("--out") + 1);
        assertTrue(script.get(2).contains(text) && script.get(3).contains(text), script::toString);
        assertTrue(command("eval").contains(clean.get(clean.indexOf("--held-out") + 1)), script::toString);
    }

    @Test
    void usesTheUsersTextUnchanged() {
        assertEquals(
                List.of("config", "data train-tokenizer", "data tokenize", "train", "generate", "report"),
                names("--data", "mine"));
        assertTrue(script.get(1).contains("mine"), script::toString);
    }

    @Test
    void generatesSamplesFiveTimesWithTheFinalPrompt() {
        names("--steps", "12", "--prompt", "say \"hi\\\"\n");
        assertTrue(command("train").contains("samples.everySteps=3"), script::toString);
        assertTrue(command("train").contains("samples.prompts=[\"say \\\"hi\\\\\\\"\\u000a\"]"), script::toString);
        assertTrue(command("generate").contains("say \"hi\\\"\n"), script::toString);
    }

    /** A quickstart that trained, and then failed because no model is where the next command looks for it, would waste a minute. */
    @ParameterizedTest
    @ValueSource(strings = {"run={name: other}", "run.name=other", "run.directory=elsewhere", "model.export=false"})
    void rejectsSettingsOfItsOwnBeforeItRunsACommand(String assignment) {
        assertNotEquals(ExitCode.OK, run("--set", assignment));
        assertEquals(List.of(), script);
    }

    @Test
    void generatesOnlyAtTheEndOnSeveralRanks() {
        names("--tp", "2");
        names("--set", "mesh.data=2");
        assertFalse(script.toString().contains("samples."), script::toString);
        names("--dp", "1");
        assertTrue(script.toString().contains("samples.everySteps"), script::toString);
    }
}
