package io.hirundo.control.internal.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.control.internal.FakeRun;
import io.hirundo.control.internal.command.CommandTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Size;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On a terminal that JLine emulates: keys go in, what would be on the screen comes out. */
class LineTerminalTest {
    /** As a terminal of type xterm sends it. */
    private static final String UP = "\u001bOA";

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private LineDisciplineTerminal device;
    private LineTerminal terminal;
    private Thread reader;

    @BeforeEach
    void open() throws IOException {
        device = new LineDisciplineTerminal("test", "xterm", screen, StandardCharsets.UTF_8);
        device.setSize(new Size(100, 24));
        terminal = LineTerminal.of(device, directory, new CommandTable(new FakeRun(directory))::complete);
    }

    @AfterEach
    void close() {
        terminal.close();
    }

    /** {@code >} is a tab. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "sw>pre>b>                          | swap precision bf16",
                "sw>pre>fp>{bl>2}                   | swap precision fp8-blockwise {block: 2}",
                "status; che>n>                      | status; checkpoint now",
                "set tr>0.5                           | set training.clipNorm=0.5",
                "set check>f>                        | set checkpoint.atEnd=false",
                "stop$!a;>st>                        | stop$!a;st"
            })
    void completesAtTabs(String keys, String line) throws Exception {
        assertEquals(
                line,
                type(keys.replace('>', '\t') + "\r")
                        .get(1, TimeUnit.MINUTES)
                        .orElseThrow()
                        .strip());
    }

    @Test
    void printsAboveTheLineThatIsBeingTyped() throws Exception {
        CompletableFuture<Optional<String>> line = type("sta");
        awaitOnScreen("run> sta");
        screen.reset();
        terminal.printAbove("step 10/100  loss 3.2");
        awaitOnScreen("sta");
        assertTrue(shown().indexOf("step 10/100  loss 3.2") < shown().lastIndexOf("run> sta"), this::shown);
        device.processInputBytes("tus\r".getBytes(StandardCharsets.UTF_8));
        assertEquals("status", line.get(1, TimeUnit.MINUTES).orElseThrow());
    }

    @Test
    void remembersTheLinesOfEarlierPromptsForTheirOwnerAlone() throws Exception {
        type("status\r").get(1, TimeUnit.MINUTES);
        type("  \r").get(1, TimeUnit.MINUTES);
        type("pause\r").get(1, TimeUnit.MINUTES);
        Path file = directory.resolve("prompt-history");
        assertEquals(List.of("status", "pause"), Files.readAllLines(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));

        close();
        open();
        assertEquals("status", type(UP + UP + "\r").get(1, TimeUnit.MINUTES).orElseThrow());
    }

    /** As a terminal sends what is pasted, in which it ends lines by carriage returns. */
    @Test
    void readsPastedTextLineByLine() throws Exception {
        String pasted = "status\r\r  pause \rswap data indexed {blend: [\r  {path: 'a\rb', weight: 1}\r]}\rresume";
        assertEquals(
                "status",
                type("\u001b[200~" + pasted + "\u001b[201~\r")
                        .get(1, TimeUnit.MINUTES)
                        .orElseThrow());
        for (String line : List.of("pause", "swap data indexed {blend: [ {path: 'a b', weight: 1} ]}", "resume")) {
            assertEquals(line, type("").get(1, TimeUnit.MINUTES).orElseThrow());
        }
        assertEquals("stop", type("stop\r").get(1, TimeUnit.MINUTES).orElseThrow());
        assertEquals(5, Files.readAllLines(directory.resolve("prompt-history")).size());
    }

    @Test
    void worksWithoutHistoryWhereItsFileIsAFolder() throws Exception {
        close();
        Files.createDirectory(directory.resolve("prompt-history"));
        open();
        assertEquals("status", type("status\r").get(1, TimeUnit.MINUTES).orElseThrow());
        assertEquals("status", type(UP + "\r").get(1, TimeUnit.MINUTES).orElseThrow());
    }

    @Test
    void endsAtTheEndOfInput() throws Exception {
        assertFalse(type("\u0004").get(1, TimeUnit.MINUTES).isPresent());
    }

    @Test
    void canBeInterruptedWhileNobodyTypes() throws Exception {
        CompletableFuture<Optional<String>> line = type("sta");
        awaitOnScreen("sta");
        reader.interrupt();
        var failure = assertThrows(ExecutionException.class, () -> line.get(1, TimeUnit.MINUTES));
        assertInstanceOf(InterruptedException.class, failure.getCause());
    }

    private CompletableFuture<Optional<String>> type(String keys) throws IOException {
        var line = new CompletableFuture<Optional<String>>();
        reader = Thread.ofPlatform().daemon().start(() -> {
            try {
                line.complete(terminal.readLine("run> "));
            } catch (InterruptedException | RuntimeException failure) {
                line.completeExceptionally(failure);
            }
        });
        device.processInputBytes(keys.getBytes(StandardCharsets.UTF_8));
        return line;
    }

    private void awaitOnScreen(String text) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!shown().contains(text)) {
            assertTrue(System.nanoTime() < end, () -> "not shown: " + text + " in " + shown());
            Thread.sleep(10);
        }
    }

    private String shown() {
        return screen.toString(StandardCharsets.UTF_8);
    }
}
