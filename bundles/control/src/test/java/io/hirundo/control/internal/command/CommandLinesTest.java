package io.hirundo.control.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ExitCode;
import io.hirundo.control.internal.FakeRun;
import io.hirundo.train.ChangeProgress;
import io.hirundo.train.Decision;
import io.hirundo.train.RunStatus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLinesTest {
    private final FakeRun run = new FakeRun(Path.of("runs", "tiny"));
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CommandLines lines =
            new CommandLines(new CommandTable(run), new PrintStream(bytes, true, StandardCharsets.UTF_8));

    @AfterEach
    void close() {
        lines.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "swap precision bf16                              | change [precision=bf16]",
                "swap schedule gpipe                              | change [mesh.schedule=gpipe]",
                "swap checkpoint async                            | change [checkpoint.strategy=async]",
                "swap data blend                                  | change [data.source=blend]",
                "swap mesh.schedule interleaved '{chunks: 2}'     | change [mesh.schedule={name: \"interleaved\", options: {chunks: 2}}]",
                "swap mesh.schedule interleaved {chunks: 2}       | change [mesh.schedule={name: \"interleaved\", options: {chunks: 2}}]",
                "swap mesh.schedule interleaved \"{chunks: 2}\"     | change [mesh.schedule={name: \"interleaved\", options: {chunks: 2}}]",
                "swap mesh.schedule \"interleaved\" {'chunks': 2}   | change [mesh.schedule={name: \"interleaved\", options: {'chunks': 2}}]",
                "swap data indexed {blend: [{path: \"a ;b\"}, {x: 1}]} | change [data.source={name: \"indexed\", options: {blend: [{path: \"a ;b\"}, {x: 1}]}}]",
                "swap data indexed '{blend: [{path: \"a b\"}]}'    | change [data.source={name: \"indexed\", options: {blend: [{path: \"a b\"}]}}]",
                "swap data indexed \"{blend: [{path: 'a b'}]}\"    | change [data.source={name: \"indexed\", options: {blend: [{path: 'a b'}]}}]",
                "swap data indexed \"{p: \\\"a b\\\", q: a\\\\b}\" | change [data.source={name: \"indexed\", options: {p: \"a b\", q: a\\b}}]",
                "swap data indexed {name: it's, p: \"]\"}          | change [data.source={name: \"indexed\", options: {name: it's, p: \"]\"}}]",
                "set mesh.stageLayers=[3, 5]                      | change [mesh.stageLayers=[3, 5]]",
                "set mesh.stageLayers = [3, 5] training.clipNorm=1 | change [mesh.stageLayers=[3, 5], training.clipNorm=1]",
                "set run.name='a > b' x=\"$c\"                     | change [run.name=a > b, x=$c]",
                "set run.name=a(b)                                | change [run.name=a(b)]",
                "set learningRate.options.peak=0.001              | change [learningRate.options.peak=0.001]",
                "set schedule=gpipe training.clipNorm=0.5         | change [mesh.schedule=gpipe, training.clipNorm=0.5]",
                "set 'mesh.stageLayers=[3, 5]'                    | change [mesh.stageLayers=[3, 5]]",
                "set learningRate.options.peak = 0.001            | change [learningRate.options.peak=0.001]",
                "set schedule= gpipe training.clipNorm =0.5       | change [mesh.schedule=gpipe, training.clipNorm=0.5]",
                "set 'schedule = gpipe'                           | change [mesh.schedule= gpipe]",
                "set unknown.thing=1                              | change [unknown.thing=1]",
                "checkpoint now                                   | checkpoint",
                "pause                                            | pause",
                "resume                                           | resume",
                "stop                                             | stop"
            })
    void passesChangeRequestsOnAndPrintsTheDecision(String line, String request) {
        assertEquals(ExitCode.OK, lines.run(line), this::said);
        assertEquals(List.of(request), run.requests);
        assertEquals("after step 41: " + request + " done\n", said());
    }

    @Test
    void answersCommands() {
        assertEquals(ExitCode.OK, lines.run("status; strategies"));

        assertEquals("""
        tiny: running, step 40 of 400, loss 3.2500, 1234 tokens/s, 160 samples consumed
        precision      fp32  io.hirundo.precision-native 0.1.0
        mesh.schedule  1f1b  io.hirundo.parallel-pp 0.1.0
        optimizer      gone  (gone)
        """, said());
    }

    @Test
    void statusShowsWhyTheRunIsPaused() {
        run.state = RunStatus.State.PAUSED;
        lines.run("status");
        assertTrue(said().startsWith("tiny: paused (as asked), step 40"), this::said);
    }

    @Test
    void rejectedResumeNamesTheRemedies() {
        run.state = RunStatus.State.PAUSED;
        run.rejection = "as";
        assertEquals(ExitCode.REJECTED, lines.run("resume"));
        assertEquals("rejected: as asked\n", said());
    }

    @Test
    void endsTheLineAtTheFirstRejection() {
        run.rejection = "bf16 differs from fp32 in layers.3.wq by 1e-1";

        assertEquals(ExitCode.REJECTED, lines.run("status; swap precision bf16; stop"));

        assertEquals(List.of("change [precision=bf16]"), run.requests);
        assertTrue(said().endsWith("rejected: bf16 differs from fp32 in layers.3.wq by 1e-1\n"), this::said);
    }

    @Test
    void printsWhatItWaitsFor() throws Exception {
        run.undecided = new CompletableFuture<>();
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> lines.run("swap precision bf16"));
        while (!said().contains("waiting")) {
            Thread.sleep(10);
        }
        run.undecided.complete(new Decision(true, 41, "precision is bf16"));

        assertEquals(ExitCode.OK, code.get());
        assertEquals("waiting for the current step to end\nafter step 41: precision is bf16\n", said());
    }

    @Test
    void saysHowLongTheParityCheckTakes() throws Exception {
        run.undecided = new CompletableFuture<>();
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> lines.run("swap precision bf16"));
        String compares = "waiting: the parity check compares old and new strategies (for ";
        awaitSaying("current step");
        checksFor(Duration.ofMillis(400), Optional.empty());
        awaitSaying(compares + "0.4 s; the first time since the run started)\n");
        run.progress = Optional.empty();
        awaitSaying("started)\nwaiting for the current step to end\n");
        checksFor(Duration.ofSeconds(61), Optional.of(Duration.ofMillis(75_250)));
        awaitSaying(compares + "61.0 s; the previous time it took 75.3 s)\n");
        run.undecided.complete(new Decision(true, 41, "precision is bf16"));
        assertEquals(ExitCode.OK, code.get());
        assertEquals(5, said().lines().count(), this::said);
    }

    private void checksFor(Duration elapsed, Optional<Duration> previous) {
        run.progress = Optional.of(new ChangeProgress(ChangeProgress.Phase.PARITY_CHECK, elapsed, previous));
    }

    private void awaitSaying(String text) throws InterruptedException {
        while (!said().contains(text)) {
            Thread.sleep(10);
        }
    }

    @Test
    void closeInterruptsAWaitingCommand() throws Exception {
        run.undecided = new CompletableFuture<>();
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> lines.run("pause"));
        while (!said().contains("waiting")) {
            Thread.sleep(10);
        }
        lines.close();
        code.get(1, TimeUnit.MINUTES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "swap precision",
                "swap a b c d",
                "swap schedule interleaved 2",
                "set",
                "set precision",
                "set a [1]",
                "checkpoint later",
                "nothing",
                "stop now",
                "set a='b",
                "help | ",
                "set a=[1, 2",
                "set a={b: [1}]",
                "set a=]",
                "$.context",
                "getBundle 0",
                "exec ls",
                "a = {status}",
                "status &",
                "x = $(status)",
                "(status)",
                "`status`",
                "hirundo:status",
                "status\\",
                "status > f",
                "[status]",
                "\u001b[31mred"
            })
    void whatMakesNoSenseIsOneLine(String line) {
        assertEquals(ExitCode.USAGE, lines.run(line), this::said);
        assertEquals(1, said().lines().count(), this::said);
        assertEquals(List.of(), run.requests);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            quoteCharacter = '`',
            value = {
                "stop now            @ stop takes no arguments; type: stop",
                "status | grep step  @ a line holds commands separated by ;, and | has no meaning there; if it belongs to a value, quote the value",
                "status > file       @ a line holds commands separated by ;, and > has no meaning there",
                "set a=$b            @ a line holds commands separated by ;, and $ has no meaning there",
                "getBundle 0         @ there is no command 'getBundle'; to list them, type: help",
                "precision=bf16      @ 'precision=bf16' is not a command; to change a setting, type: set precision=bf16",
                "precision = bf16    @ 'precision=bf16' is not a command; to change a setting, type: set precision=bf16",
                "set a='b            @ a quote is not closed: the line ends inside '",
                "set a=[b            @ a bracket is not closed: the line lacks ]",
                "set a=[b}           @ brackets do not match: } closes a different bracket",
                "swap precision b]   @ closing bracket without an opening one: ]"
            })
    void theLineSaysHowItIsMeant(String line, String beginning) {
        assertEquals(ExitCode.USAGE, lines.run(line), this::said);
        assertTrue(said().startsWith(beginning), this::said);
        assertEquals(List.of(), run.requests);
    }

    /** Line by line, by who reads values recursively. */
    @ParameterizedTest
    @ValueSource(strings = {"set a=%s%s", "set 'a=%s%s'", "set a=\"%s%s\"", "swap data indexed %s%s"})
    void rejectsDeepNestingInOneLine(String line) {
        for (int depth : new int[] {33, 10_000}) {
            bytes.reset();
            assertEquals(
                    ExitCode.USAGE, lines.run(String.format(line, "[".repeat(depth), "]".repeat(depth))), this::said);
            assertEquals("a value has more than 32 nested brackets\n", said());
        }
        assertEquals(List.of(), run.requests);
    }

    @ParameterizedTest
    @ValueSource(strings = {"']'", "\"]\"", "\"\\\"]\""})
    void closingBracketsInsideQuotesHideNoDepth(String text) {
        String value = ("[" + text + ", ").repeat(33) + "1" + "]".repeat(33);
        assertEquals(ExitCode.USAGE, lines.run("set a=" + value), this::said);
        assertEquals("a value has more than 32 nested brackets\n", said());
    }

    @Test
    void apostrophesInsideTextAreNoQuotes() {
        assertEquals(ExitCode.OK, lines.run("set a=[" + "[it's], ".repeat(40) + "1]"), this::said);
    }

    @Test
    void acceptsNestingOfAnySetting() {
        assertEquals(ExitCode.OK, lines.run("set a=" + "[".repeat(32) + "]".repeat(32)), this::said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "{", "[", "\"", "'", "a ", "$(", "a=", "; ", "#", "\u0000"})
    void answersLongLinesInOneLine(String part) {
        int exitCode = lines.run("x" + part.repeat(PromptLine.MAX_BYTES / part.length() - 1));
        assertEquals(ExitCode.USAGE, exitCode, this::said);
        assertEquals(1, said().lines().count(), this::said);
        assertTrue(said().length() < 800, this::said);
        bytes.reset();
        assertEquals(ExitCode.USAGE, lines.run(part.repeat(PromptLine.MAX_BYTES + 1)));
        assertTrue(said().startsWith("a line has more than 65536 bytes"), this::said);
    }

    @Test
    void skipsComments() {
        assertEquals(ExitCode.OK, lines.run("  # stop; pause"));
        assertEquals(ExitCode.OK, lines.run(" ;; "));
        assertEquals(List.of(), run.requests);
        assertEquals("", said());
    }

    @Test
    void runsCommandsOfOtherBundlesAndNoneInPlaceOfItsOwn() {
        List<List<String>> heard = new ArrayList<>();
        var own = new RunCommand(
                "profile START", "profiles\na few steps", (words, _) -> heard.add(words), _ -> List.of("start"));
        var thief = new RunCommand("stop", "does not stop", (_, _) -> heard.add(List.of("thief")));
        var broken = new RunCommand("broken", "throws", (_, _) -> {
            throw new IllegalStateException("no profiler\nat x");
        });
        var table = new CommandTable(run, List.of(own, thief, broken));
        try (var more = new CommandLines(table, new PrintStream(bytes, true, StandardCharsets.UTF_8))) {
            assertEquals(ExitCode.OK, more.run("profile start 'two words'; stop"));
            assertEquals(List.of(List.of("start", "two words")), heard);
            assertEquals(List.of("stop"), run.requests);
            bytes.reset();
            assertEquals(ExitCode.REJECTED, more.run("broken; stop"));
            assertEquals("failed: no profiler\n", said());
            assertEquals(List.of("stop"), run.requests);
            bytes.reset();
            more.run("help");
            assertTrue(
                    said().contains(
                                    "\nprofile START               profiles\n                            a few steps\n"),
                    this::said);
            assertEquals(
                    1, said().lines().filter(line -> line.startsWith("stop ")).count(), this::said);
        }
        assertEquals(List.of("start"), table.complete("profile "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "st|status,strategies,stop",
                "status; sw|swap",
                "swap |precision,schedule",
                "swap pre|precision",
                "swap precision |bf16,fp8-blockwise",
                "swap precision fp8-blockwise |{block: ,{power: ",
                "swap precision fp8-blockwise {p|{power: ",
                "swap precision fp8-blockwise {block: 2, |{block: 2, power: ",
                "swap precision bf16 |",
                "swap schedule g|gpipe",
                "set tr|training.clipNorm=",
                "set training.clipNorm=|training.clipNorm=1.0",
                "set precision=b|precision=bf16",
                "set checkpoint.atEnd=|checkpoint.atEnd=true,checkpoint.atEnd=false",
                "set a=1 pre|precision=",
                "checkpoint |now",
                "swap precision 'b|bf16",
                "status |",
                "nothing |",
                "swap precision $|"
            })
    void completes(String line, String candidates) {
        assertEquals(candidates == null ? "" : candidates, String.join(",", new CommandTable(run).complete(line)));
    }

    @Test
    void reportsAFailedRunInOneLine() {
        run.undecided = CompletableFuture.failedFuture(new IllegalStateException("device lost\nat some line"));
        assertEquals(ExitCode.REJECTED, lines.run("pause"));
        assertEquals("rejected: the run has failed: device lost\n", said());
    }

    @Test
    void helpNamesEveryCommand() {
        assertEquals(ExitCode.OK, lines.run("help"));
        for (String name :
                List.of("status", "strategies", "swap", "set", "checkpoint now", "pause", "resume", "stop", "exit")) {
            assertTrue(said().contains(name), name);
        }
    }

    private String said() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
