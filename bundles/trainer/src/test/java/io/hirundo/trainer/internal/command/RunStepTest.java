package io.hirundo.trainer.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunStepTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void makeRuns() throws IOException {
        for (String name : new String[] {"first", "me@home", "run@7"}) {
            Files.createFile(Files.createDirectory(folder.resolve(name)).resolve("config.json"));
        }
    }

    private RunStep parse(String text) {
        return RunStep.parse(folder + "/" + text);
    }

    private RunStep step(String run, long step) {
        return new RunStep(folder.resolve(run), OptionalLong.of(step));
    }

    @Test
    void parsesRunAndStep() {
        assertEquals(new RunStep(folder.resolve("first"), OptionalLong.empty()), parse("first"));
        assertEquals(step("first", 700), parse("first@700"));
    }

    @Test
    void namesOfRunsMayHaveAnAt() {
        assertEquals(new RunStep(folder.resolve("me@home"), OptionalLong.empty()), parse("me@home"));
        assertEquals(step("me@home", 3), parse("me@home@3"));
        assertEquals(new RunStep(folder.resolve("run@7"), OptionalLong.empty()), parse("run@7"));
        assertEquals(step("run@7", 8), parse("run@7@8"));
    }

    @Test
    void rejectsStepsThatAreNoNumbers() {
        for (String step : new String[] {"seven", "", "-1", "1.5", "99999999999999999999", "7 "}) {
            var failure = assertThrows(ConfigurationException.class, () -> parse("first@" + step));
            assertEquals(
                    "--start-from: " + folder.resolve("first@" + step)
                            + ": the step is wrong (allowed: the step of a checkpoint, as in " + folder.resolve("first")
                            + "@700)",
                    failure.getMessage());
        }
    }

    @Test
    void rejectsAFolderThatIsNoRun() {
        for (String text : new String[] {"second", "second@7", "second@x"}) {
            var failure = assertThrows(ConfigurationException.class, () -> parse(text));
            assertEquals(
                    "--start-from: " + folder.resolve(text.equals("second@7") ? "second" : text)
                            + " is no run directory: it has no config.json (allowed: runs/NAME or runs/NAME@STEP)",
                    failure.getMessage());
        }
    }
}
