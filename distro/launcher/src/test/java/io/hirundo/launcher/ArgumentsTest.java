package io.hirundo.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    @Test
    void removesTheProfileFromTheFront() throws LaunchException {
        Arguments expected = new Arguments("minimal", true, List.of("train", "a.yaml"));
        assertEquals(expected, Arguments.parse(List.of("--profile", "minimal", "train", "a.yaml"), "cpu"));
        assertEquals(expected, Arguments.parse(List.of("--profile=minimal", "train", "a.yaml"), "cpu"));
    }

    @Test
    void leavesALaterProfileToTheCommand() throws LaunchException {
        List<String> args = List.of("train", "--profile", "minimal");
        assertEquals(new Arguments("cpu", false, args), Arguments.parse(args, "cpu"));
    }

    @Test
    void requiresAProfileName() {
        var failure = assertThrows(LaunchException.class, () -> Arguments.parse(List.of("--profile"), "cpu"));
        assertEquals(LaunchException.USAGE, failure.exitCode());
    }

    @Test
    void onlyTrainingNeedsEveryPlugin() {
        assertTrue(new Arguments("cpu", false, List.of("train", "a.yaml")).trains());
        assertTrue(new Arguments("cpu", false, List.of("quickstart")).trains());
        List<List<String>> others =
                List.of(List.of(), List.of("attach", "train"), List.of("--version"), List.of("train", "--help"));
        for (List<String> other : others) {
            assertFalse(new Arguments("cpu", false, other).trains(), other::toString);
        }
    }
}
