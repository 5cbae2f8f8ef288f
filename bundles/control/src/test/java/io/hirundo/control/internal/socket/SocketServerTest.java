package io.hirundo.control.internal.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.control.internal.FakeRun;
import io.hirundo.control.internal.command.CommandTable;
import io.hirundo.control.internal.command.PromptLine;
import io.hirundo.train.Decision;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketServerTest {
    @TempDir
    private Path temporary;

    private Path directory;
    private FakeRun run;
    private SocketServer server;

    @BeforeEach
    void start() throws IOException {
        directory = temporary.resolve("run");
        Files.createDirectory(directory);
        run = new FakeRun(directory);
        server = new SocketServer(run, new CommandTable(run));
    }

    @AfterEach
    void stop() throws InterruptedException {
        server.close();
    }

    @Test
    void answersCommandsOfAClient() throws Exception {
        try (Peer peer = Peer.of(directory)) {
            assertEquals("*tiny", peer.read());
            peer.write(">checkpoint now\n");
            assertEquals(" after step 41: checkpoint done", peer.read());
            assertEquals("=0", peer.read());
            run.rejection = "no";
            peer.write(">pause\n");
            assertEquals(" rejected: no", peer.read());
            assertEquals("=1", peer.read());
        }
    }

    @Test
    void onlyTheOwnerConnects() throws IOException {
        Path socket = directory.resolve("control.sock");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
        assertEquals(List.of(socket), list(directory), "the folder in which it was made is gone");
    }

    @Test
    void closesConnectionsWhenTheRunEnds() throws Exception {
        try (Peer peer = Peer.of(directory)) {
            peer.read();
            server.close();
            assertEquals("!the run has ended", peer.read());
            assertNull(peer.read());
        }
        assertEquals(List.of(), list(directory));
    }

    @Test
    void replacesTheSocketOfACrashedRun() throws Exception {
        server.close();
        Files.createFile(directory.resolve("control.sock"));
        Files.createDirectory(directory.resolve(".control"));
        Files.createFile(directory.resolve(".control").resolve("s"));

        server = new SocketServer(run, new CommandTable(run));

        try (Peer peer = Peer.of(directory)) {
            assertEquals("*tiny", peer.read());
        }
    }

    @Test
    void deletesNothingThroughALinkInPlaceOfItsFolder() throws Exception {
        server.close();
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Path precious = Files.createFile(elsewhere.resolve("s"));
        Files.createSymbolicLink(directory.resolve(".control"), elsewhere);

        server = new SocketServer(run, new CommandTable(run));

        assertTrue(Files.exists(precious));
        try (Peer peer = Peer.of(directory)) {
            assertEquals("*tiny", peer.read());
        }
    }

    @Test
    void linksASocketWithALongPath() throws Exception {
        Path deep = Files.createDirectories(
                temporary.resolve("a-long-name-".repeat(10)).resolve("run"));
        var deepRun = new FakeRun(deep);
        var deepServer = new SocketServer(deepRun, new CommandTable(deepRun));
        Path target;
        try (Peer peer = Peer.of(deep)) {
            target = Files.readSymbolicLink(deep.resolve("control.sock"));
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(target)));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(target.getParent())));
            assertEquals("*tiny", peer.read());
        } finally {
            deepServer.close();
        }
        assertFalse(Files.exists(target.getParent()));
        assertFalse(Files.exists(deep.resolve("control.sock"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void answersTheCurrentCommandWhenTheRunEnds() throws Exception {
        run.undecided = new CompletableFuture<>();
        try (Peer peer = Peer.of(directory)) {
            peer.read();
            peer.write(">stop\n");
            assertEquals(" waiting for the current step to end", peer.read());
            CompletableFuture<Void> closing = CompletableFuture.runAsync(this::stopUnchecked);
            run.undecided.complete(new Decision(true, 41, "stopped"));
            closing.get();
            assertEquals(" after step 41: stopped", peer.read());
            assertEquals("=0", peer.read());
            assertEquals("!the run has ended", peer.read());
        }
    }

    @Test
    void hangingOrFloodingClientsDoNotDelayTheEnd() throws Exception {
        try (Peer hanging = Peer.of(directory);
                Peer flooding = Peer.of(directory);
                Peer waiting = Peer.of(directory)) {
            // Reads nothing: help fills its buffer until the server's side blocks.
            hanging.writeFor(Duration.ofMillis(300), ">help\n".repeat(2000));
            flooding.writeFor(Duration.ofMillis(300), "x".repeat(PromptLine.MAX_BYTES + 2));
            run.undecided = new CompletableFuture<>();
            waiting.read();
            waiting.write(">pause\n");
            waiting.read();

            // It would not return at all: how long it takes is up to the machine.
            assertTimeoutPreemptively(Duration.ofMinutes(1), () -> server.close());
        }
    }

    @Test
    void closesAConnectionWithAnEndlessLine() throws Exception {
        try (Peer peer = Peer.of(directory)) {
            peer.read();
            peer.write("x".repeat(PromptLine.MAX_BYTES + 2));
            assertEquals("!a command has more than 65536 bytes", peer.read());
            assertNull(peer.read());
        }
    }

    @Test
    void endsAConnectionThatLeavesALineUnfinished() throws Exception {
        server.close();
        BlockingQueue<Runnable> timers = new LinkedBlockingQueue<>();
        server = new SocketServer(run, new CommandTable(run), timers::add);
        try (Peer peer = Peer.of(directory)) {
            assertEquals("*tiny", peer.read());
            peer.write(">status\n");
            assertTrue(peer.read().startsWith(" tiny: running"));
            assertEquals("=0", peer.read());
            peer.write(">pau");
            Runnable ofPause = next(timers);
            peer.write("se\n");
            assertEquals(" after step 41: pause done", peer.read());
            assertEquals("=0", peer.read());
            ofPause.run();
            peer.write(">stop");
            next(timers).run();
            assertEquals(
                    "!the rest of a command did not arrive within 10 s",
                    assertTimeoutPreemptively(Duration.ofMinutes(1), peer::read));
            assertNull(peer.read());
        }
        assertEquals(List.of(), List.copyOf(timers), "whole lines need no timer");
        assertEquals(List.of("pause"), run.requests);
    }

    /** Comes when the server has read a part of a line. */
    private static Runnable next(BlockingQueue<Runnable> timers) throws InterruptedException {
        return Objects.requireNonNull(timers.poll(1, TimeUnit.MINUTES), "no line has begun");
    }

    @Test
    void answersCompletionRequests() throws Exception {
        try (Peer peer = Peer.of(directory)) {
            assertEquals("*tiny", peer.read());
            peer.write("?swap precision \n");
            assertEquals(List.of(" bf16", " fp8-blockwise", "=0"), List.of(peer.read(), peer.read(), peer.read()));
        }
        assertEquals(List.of(), run.requests);
    }

    @Test
    void runsATypedLineThatLooksLikeARequestForCompletion() throws Exception {
        try (Peer peer = Peer.of(directory)) {
            assertEquals("*tiny", peer.read());
            peer.write(">?sw\n");
            assertEquals(" there is no command '?sw'; to list them, type: help", peer.read());
            assertEquals("=2", peer.read());
            peer.write("status\n");
            assertEquals(
                    " a request begins with > (run) or ? (complete); use the attach command of the version that runs the training",
                    peer.read());
            assertEquals("=2", peer.read());
        }
    }

    @Test
    void limitsTheNumberOfClients() throws Exception {
        List<Peer> peers = new ArrayList<>();
        try {
            takeEveryPlace(peers);
            try (Peer tooMuch = Peer.of(directory)) {
                assertEquals("!8 clients are attached to this run already; close one of them", tooMuch.read());
            }
            peers.removeLast().close();
            assertTrue(comesIn(), "a place is free again");
        } finally {
            for (Peer peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void aRejectedClientThatDisconnectsDoesNotBlockOthers() throws Exception {
        List<Peer> peers = new ArrayList<>();
        try {
            takeEveryPlace(peers);
            // Faster than they are let in: most have gone when they are to be told.
            for (int i = 0; i < 30; i++) {
                Peer.of(directory).close();
            }
            try (Peer patient = Peer.of(directory)) {
                String answer = assertTimeoutPreemptively(Duration.ofMinutes(1), patient::read);
                assertEquals("!8 clients are attached to this run already; close one of them", answer);
            }
        } finally {
            for (Peer peer : peers) {
                peer.close();
            }
        }
    }

    private void takeEveryPlace(List<Peer> peers) throws IOException {
        for (int i = 0; i < SocketServer.MOST_CONNECTIONS; i++) {
            peers.add(Peer.of(directory));
            assertEquals("*tiny", peers.getLast().read());
        }
    }

    private boolean comesIn() throws Exception {
        for (int attempt = 0; attempt < 3000; attempt++) {
            try (Peer peer = Peer.of(directory)) {
                if ("*tiny".equals(peer.read())) {
                    return true;
                }
            }
            Thread.sleep(20);
        }
        return false;
    }

    @Test
    void runContinuesWithoutASocket() throws Exception {
        var lost = new FakeRun(temporary.resolve("nowhere"));
        new SocketServer(lost, new CommandTable(lost)).close();
    }

    private void stopUnchecked() {
        try {
            server.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private record Peer(SocketChannel channel, BufferedReader lines) implements AutoCloseable {
        static Peer of(Path directory) throws IOException {
            SocketChannel channel = SocketChannel.open(SocketFile.addressIn(directory));
            return new Peer(channel, new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)));
        }

        String read() throws IOException {
            return lines.readLine();
        }

        void write(String text) throws IOException {
            channel.write(StandardCharsets.UTF_8.encode(text));
        }

        /** As much as the other side takes. */
        void writeFor(Duration time, String text) throws Exception {
            channel.configureBlocking(false);
            long end = System.nanoTime() + time.toNanos();
            while (System.nanoTime() < end) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
                while (bytes.hasRemaining() && System.nanoTime() < end) {
                    try {
                        channel.write(bytes);
                    } catch (IOException closedByTheOther) {
                        return;
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
