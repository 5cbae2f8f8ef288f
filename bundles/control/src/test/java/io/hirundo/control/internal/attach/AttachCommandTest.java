package io.hirundo.control.internal.attach;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.control.internal.FakeRun;
import io.hirundo.control.internal.command.CommandTable;
import io.hirundo.control.internal.socket.SocketServer;
import io.hirundo.testkit.CtrlC;
import io.hirundo.train.Decision;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class AttachCommandTest {
    @TempDir
    private Path runs;

    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final ByteArrayOutputStream complained = new ByteArrayOutputStream();
    private final CtrlC ctrlC = new CtrlC();
    private FakeRun run;
    private SocketServer server;

    @BeforeEach
    void start() throws IOException {
        run = new FakeRun(Files.createDirectory(runs.resolve("tiny")));
        server = new SocketServer(run, new CommandTable(run));
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void stop() throws Exception {
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
        server.close();
    }

    @Test
    void runsCommandsOfAScript() {
        assertEquals(ExitCode.OK, attach("tiny", "-c", "status; swap precision bf16"));

        assertEquals(List.of("change [precision=bf16]"), run.requests);
        assertTrue(said().startsWith("tiny: running, step 40"), this::said);
        assertTrue(said().endsWith("after step 41: change [precision=bf16] done\n"), this::said);
    }

    /** Who may write to a run directory can plant a socket there. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void endsOnAReplyWithoutEndFromWhatIsNoRun() throws Exception {
        try (var planted = planted("foreign")) {
            Thread flood = answer(planted, client -> {
                while (true) {
                    send(client, "x".repeat(1 << 16));
                }
            });
            assertEquals(ExitCode.REJECTED, attach("foreign", "-c", "status"));
            flood.join();
        }
        assertEquals(noRun("a reply has more than 1048576 bytes"), complained.toString(StandardCharsets.UTF_8));
    }

    private static String noRun(String what) {
        return "hirundo: what answers at the socket is no run of this version: " + what
                + "; attach with the program that trains, or give the directory of another run\n";
    }

    @ParameterizedTest
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @CsvSource(quoteCharacter = '"', textBlock = """
            {greeting: tiny, "", "a reply is '{greeting: tiny' (allowed: a line that begins with '*', ' ', '=' or '!')"
            "", "", "a reply is '' (allowed: a line that begins with '*', ' ', '=' or '!')"
            " running", "", the first line is no greeting
            =0, "", it answers a command that was not sent
            *tiny, *tiny, it greets twice
            *tiny, =null, "the exit code of a command is 'null' (allowed: 0 to 255)"
            *tiny, =999, "the exit code of a command is '999' (allowed: 0 to 255)"
            *tiny, =\u0663, "the exit code of a command is '\u0663' (allowed: 0 to 255)"
            *tiny, "\033[2J", "a reply is '\\u001b[2J' (allowed: a line that begins with '*', ' ', '=' or '!')"
            """)
    void endsWithOneLineOnRepliesThatNoRunSends(String greeting, String answer, String what) throws Exception {
        try (var planted = planted("foreign")) {
            answer(planted, client -> {
                send(client, greeting + "\n");
                client.read(ByteBuffer.allocate(100));
                send(client, answer + "\n");
            });
            assertEquals(ExitCode.REJECTED, attach("foreign", "-c", "status"));
        }
        assertEquals(noRun(what), complained.toString(StandardCharsets.UTF_8));
        assertEquals("", said());
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void printsNoControlCharactersOfReplies() throws Exception {
        try (var planted = planted("foreign")) {
            answer(planted, client -> {
                send(client, "*foreign\n");
                client.read(ByteBuffer.allocate(100));
                send(client, " \033]0;title\007\033[2J\n=0\n");
            });
            assertEquals(ExitCode.OK, attach("foreign", "-c", "status"));
        }
        assertEquals("\\u001b]0;title\\u0007\\u001b[2J\n", said());
    }

    private ServerSocketChannel planted(String name) throws IOException {
        Path socket = Files.createDirectory(runs.resolve(name)).resolve("control.sock");
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    /** What is done with a client. */
    private interface Answer {
        void to(SocketChannel client) throws IOException;
    }

    /** Answers one client, until it is gone. */
    private static Thread answer(ServerSocketChannel planted, Answer answer) {
        return Thread.ofPlatform().daemon().start(() -> {
            try (SocketChannel client = planted.accept()) {
                answer.to(client);
            } catch (IOException clientGone) {
                // What the test waits for.
            }
        });
    }

    private static void send(SocketChannel client, String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        while (bytes.hasRemaining()) {
            client.write(bytes);
        }
    }

    @Test
    void returnsTheExitCodeOfARejection() {
        run.rejection = "there is no bf16";
        assertEquals(ExitCode.REJECTED, attach(runs.resolve("tiny").toString(), "-c", "swap precision bf16\nstop"));
        assertEquals("rejected: there is no bf16\n", said());
        assertEquals(1, run.requests.size());
        assertEquals(ExitCode.USAGE, attach("tiny", "-c", "swop precision bf16"));
    }

    @Test
    void readsLinesFromAPipe() {
        System.setIn(
                new ByteArrayInputStream("pause\n\n checkpoint now\nexit\nstop\n".getBytes(StandardCharsets.UTF_8)));
        assertEquals(ExitCode.OK, attach("tiny"));
        assertEquals(List.of("pause", "checkpoint"), run.requests);
    }

    @Test
    void endsWithTheRun() throws Exception {
        try (var keyboard = new PipedOutputStream();
                var typed = new PipedInputStream(keyboard)) {
            System.setIn(typed);
            CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> attach("tiny"));
            keyboard.write("pause\n".getBytes(StandardCharsets.UTF_8));
            while (run.requests.isEmpty() || !said().contains("pause done")) {
                Thread.sleep(10);
            }
            server.close();
            assertEquals(ExitCode.OK, code.get());
        }
    }

    @Test
    void failsIfTheRunEndsBeforeItAnswers() throws Exception {
        run.undecided = new CompletableFuture<>();
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> attach("tiny", "-c", "pause"));
        while (!said().contains("waiting")) {
            Thread.sleep(10);
        }
        server.close();
        assertEquals(ExitCode.REJECTED, code.get());
        assertEquals(
                "hirundo: the run has ended; the last command was not answered\n",
                complained.toString(StandardCharsets.UTF_8));
    }

    @Test
    void endsOnCtrlC() throws Exception {
        run.undecided = new CompletableFuture<Decision>();
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> attach("tiny", "-c", "pause"));
        while (!said().contains("waiting")) {
            Thread.sleep(10);
        }
        ctrlC.press();
        assertEquals(ExitCode.OK, code.get());
    }

    @Test
    void rejectsAMissingRun() throws Exception {
        String unknown = assertThrows(ConfigurationException.class, () -> failing("other"))
                .getMessage();
        assertTrue(unknown.startsWith("there is no run other: neither"), unknown);
    }

    @Test
    void suggestsACommandThatTheRunsFilesAllow() throws Exception {
        server.close();
        Path tiny = runs.resolve("tiny");
        assertTrue(messageOf("tiny").startsWith("no training is running in " + tiny), () -> messageOf("tiny"));
        assertTrue(
                messageOf("tiny").endsWith("it has no config.json; give the directory of a run"),
                () -> messageOf("tiny"));

        String train = "type: hirundo train " + Files.createFile(tiny.resolve("config.json"));
        assertTrue(messageOf("tiny")
                .endsWith("has no checkpoint to continue from; to train again under another name, " + train
                        + " --set run.name=NAME"));
        Path checkpoints = Files.createDirectory(tiny.resolve("checkpoints"));
        Files.writeString(tiny.resolve("ended"), "4\n");
        // A save that was killed, and the folder of in-memory checkpoints.
        Files.createDirectory(checkpoints.resolve("step-00000002.tmp-17"));
        Files.createDirectory(checkpoints.resolve("memory"));
        assertTrue(messageOf("tiny").contains("has no checkpoint to continue from"), () -> messageOf("tiny"));

        Files.createDirectory(checkpoints.resolve("step-4"));
        assertTrue(
                messageOf("tiny")
                        .endsWith("the run has ended; to train it for more steps, " + train
                                + " --resume --set training.steps=STEPS"),
                () -> messageOf("tiny"));
        Files.delete(tiny.resolve("ended"));
        assertTrue(
                messageOf("tiny").endsWith(" on this machine; to continue it, " + train + " --resume"),
                () -> messageOf("tiny"));

        // As a crash leaves it: the file of a socket that nobody listens to.
        Files.createFile(tiny.resolve("control.sock"));
        assertTrue(
                messageOf("tiny").endsWith(" on this machine; to continue it, " + train + " --resume"),
                () -> messageOf("tiny"));
    }

    private String messageOf(String name) {
        return assertThrows(ConfigurationException.class, () -> failing(name)).getMessage();
    }

    private int attach(String... arguments) {
        return line().execute(withRuns(arguments));
    }

    private void failing(String name) {
        CommandLine line = line();
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        line.setExecutionExceptionHandler((thrown, _, _) -> {
            failure.set((RuntimeException) thrown);
            return ExitCode.CONFIGURATION;
        });
        line.execute(withRuns(name));
        throw failure.get();
    }

    private CommandLine line() {
        return new CommandLine(new AttachCommand(ctrlC));
    }

    private String[] withRuns(String... arguments) {
        return Stream.concat(Stream.of("--run-dir", runs.toString()), Arrays.stream(arguments))
                .toArray(String[]::new);
    }

    private String said() {
        return said.toString(StandardCharsets.UTF_8);
    }
}
