package io.hirundo.inference.internal.command;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Impossible numbers are errors of the command line: the command opens nothing and ends. */
class NumberArgumentsTest {
    @ParameterizedTest
    @ValueSource(strings = {"--batch=0", "--batch=-1", "--sequence=0", "--sequence=many"})
    void evalRejectsNumbersBelowOne(String argument) {
        ParameterException rejection = assertThrows(ParameterException.class, () -> eval(argument));
        String option = argument.substring(0, argument.indexOf('='));
        assertTrue(rejection.getMessage().contains(option), rejection.getMessage());
        assertTrue(rejection.getMessage().contains("is not an integer above 0"), rejection.getMessage());
    }

    @Test
    void evalAcceptsNumbersFromOne() {
        assertDoesNotThrow(() -> eval("--batch=1"));
        assertDoesNotThrow(() -> eval("--sequence=512"));
    }

    @Test
    void generateRejectsNumbersBelowOne() {
        var command = new CommandLine(new GenerateCommand(null, null));
        assertThrows(ParameterException.class, () -> command.parseArgs("--model", "m", "--max-tokens", "0"));
    }

    private static void eval(String argument) {
        new CommandLine(new EvalCommand(null, null, null)).parseArgs("--model", "m", "--data", "d", argument);
    }
}
