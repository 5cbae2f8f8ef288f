package io.hirundo.cli.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FailuresTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Failures failures = new Failures(new PrintStream(printed, true, StandardCharsets.UTF_8));

    @Test
    void printsTheMessageOfAnExpectedFailure() {
        assertEquals(
                ExitCode.CONFIGURATION, failures.exitCode(new ConfigurationException("model.layers: 0 is below 1")));
        assertEquals("hirundo: model.layers: 0 is below 1\n", text());
    }

    @Test
    void lineBreakInANameBeginsNoLine() {
        failures.exitCode(new DataException("a\nhirundo: all is well.txt: is damaged\r\nb"));
        assertEquals("hirundo: a\\nhirundo: all is well.txt: is damaged\\nb\n", text());
    }

    @Test
    void printsSeveralIndentedLines() {
        failures.exitCode(new ConfigurationException("2 settings are wrong\n  a: 1\n  b: 2"));
        assertEquals("hirundo: 2 settings are wrong\n  a: 1\n  b: 2\n", text());
    }

    @Test
    void reportsATruncatedMappedFileAsDamagedData() {
        assertEquals(
                ExitCode.DATA,
                failures.exitCode(new InternalError("a fault occurred in an unsafe memory access operation")));
        assertTrue(
                text().startsWith(
                                "hirundo: a memory-mapped file (of a dataset or a model) cannot be read any more: it was truncated"),
                this::text);
    }

    @Test
    void reportsADefectInOneLineWithItsStackTraceInAFile() throws Exception {
        assertEquals(ExitCode.INTERNAL, failures.exitCode(new IllegalStateException("two\nlines")));
        assertEquals(1, text().lines().count(), this::text);
        Matcher file = Pattern.compile("the stack trace is in (.*)\\)").matcher(text());
        assertTrue(file.find(), this::text);
        Path trace = Path.of(file.group(1));
        assertTrue(Files.readString(trace).contains("reportsADefectInOneLine"));
        Files.delete(trace);
    }

    @Test
    void reportsInvalidNumbersWithoutJavaTypes() {
        var command = new CommandLine(new Numbers()).setParameterExceptionHandler(failures::misunderstood);
        command.setErr(new PrintWriter(Writer.nullWriter()));

        assertEquals(ExitCode.USAGE, command.execute("--steps", "many"));
        assertEquals(ExitCode.USAGE, command.execute("--rate", "fast"));
        assertEquals("""
        hirundo: Invalid value for option '--steps': 'many' is not an integer
        hirundo: Invalid value for option '--rate': 'fast' is not a number
        """, text());
    }

    @Test
    void shortensLongMessagesAndEscapesControlCharacters() {
        failures.exitCode(new ConfigurationException("there is no " + "x".repeat(100_000) + " here"));
        assertTrue(text().length() < 2_100 && text().endsWith("x here\n"), text());
        printed.reset();
        failures.exitCode(new ConfigurationException("a\u001b[31mb\n  c\u0007"));
        assertEquals("hirundo: a\\u001b[31mb\n  c\\u0007\n", text());
        printed.reset();
        failures.exitCode(new ConfigurationException("wrong\n  ".repeat(1_000)));
        assertEquals(31, text().lines().count());
        assertTrue(text().endsWith("\n  ... and 970 more lines\n"), text());
    }

    @Test
    void shortensLongArguments() {
        var command = new CommandLine(new Numbers()).setParameterExceptionHandler(failures::misunderstood);
        command.setErr(new PrintWriter(Writer.nullWriter()));
        assertEquals(ExitCode.USAGE, command.execute("--steps", "9".repeat(50_000)));
        assertEquals(ExitCode.USAGE, command.execute("--" + "x".repeat(50_000)));
        assertTrue(text().length() < 4_300, text());
    }

    @CommandLine.Command(name = "numbers")
    private static final class Numbers implements Runnable {
        @CommandLine.Option(names = "--steps")
        private long steps;

        @CommandLine.Option(names = "--rate")
        private double rate;

        @Override
        public void run() {
            throw new AssertionError(steps + " " + rate);
        }
    }

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
