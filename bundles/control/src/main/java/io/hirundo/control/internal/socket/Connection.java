package io.hirundo.control.internal.socket;

import io.hirundo.ExitCode;
import io.hirundo.Reason;
import io.hirundo.control.internal.command.CommandLines;
import io.hirundo.control.internal.command.CommandTable;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One attached client, on a thread of its own. A client that does not read, or that floods, blocks only itself: no thread of
 * the run reads from or writes to it.
 */
final class Connection implements Runnable, AutoCloseable {
    private static final String NO_REQUEST =
            "a request begins with > (run) or ? (complete); use the attach command of the version that runs the training";

    /** Pause after each command, so that a client that floods leaves the CPUs to the training. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final String run;
    private final SocketChannel channel;
    private final CommandTable table;
    private final Executor afterLineTime;
    private final MarkedOutput out;
    private final CommandLines commands;

    /** Held while a command is answered. */
    private final ReentrantLock answering = new ReentrantLock();

    private volatile boolean ending;

    /** Timeout of a partly received line; null if there is none. */
    private volatile CompletableFuture<Void> expiry;

    /**
     * A connection.
     *
     * @param afterLineTime runs a task when a started line should be complete: connections are few, so a client must not hold one
     *     open with half a line
     */
    Connection(String run, SocketChannel channel, CommandTable table, Executor afterLineTime) {
        this.run = run;
        this.channel = channel;
        this.table = table;
        this.afterLineTime = afterLineTime;
        this.out = new MarkedOutput(new BufferedOutputStream(Channels.newOutputStream(channel)));
        this.commands = new CommandLines(table, new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    /** Answers commands until the client or the run ends. */
    @Override
    public void run() {
        try (channel;
                commands) {
            out.send(new Reply(Reply.Kind.GREETING, run));
            answerAll();
        } catch (IOException gone) {
            // The client closed, or the run ended: nobody is left to answer.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answerAll() throws IOException, InterruptedException {
        var lines = new CommandReader(new BufferedInputStream(Channels.newInputStream(channel)), new Expiry());
        Optional<String> line = next(lines);
        while (line.isPresent() && !ending) {
            answering.lock();
            try {
                out.send(new Reply(Reply.Kind.DONE, String.valueOf(answer(line.get()))));
            } finally {
                answering.unlock();
            }
            Thread.sleep(PAUSE);
            line = next(lines);
        }
    }

    private int answer(String line) throws IOException {
        Optional<Request> parsed = Request.parse(line);
        if (parsed.isEmpty()) {
            out.send(new Reply(Reply.Kind.OUTPUT, NO_REQUEST));
            return ExitCode.USAGE;
        }
        Request request = parsed.get();
        if (request.kind() == Request.Kind.RUN) {
            return commands.run(request.text());
        }
        for (String candidate : table.complete(request.text())) {
            out.send(new Reply(Reply.Kind.OUTPUT, candidate));
        }
        return ExitCode.OK;
    }

    /** Closes the connection if a line takes too long to arrive. */
    private final class Expiry implements CommandReader.HalfLines {
        @Override
        public void begun() {
            expiry = CompletableFuture.runAsync(Connection.this::expire, afterLineTime);
        }

        @Override
        public void ended() {
            expiry.cancel(false);
        }
    }

    private void expire() {
        try (this) {
            out.send(new Reply(
                    Reply.Kind.END,
                    "the rest of a command did not arrive within " + SocketServer.LINE_TIME.toSeconds() + " s"));
        } catch (IOException gone) {
            // As in run().
        }
    }

    private Optional<String> next(CommandReader lines) throws IOException {
        try {
            return lines.next();
        } catch (IOException failure) {
            if (channel.isOpen()) {
                out.send(new Reply(Reply.Kind.END, Reason.of(failure)));
            }
            throw failure;
        }
    }

    /**
     * Called when the run ends: finishes the current command, tells the client and closes. Waits as long as the client does.
     */
    void end() {
        ending = true;
        answering.lock();
        try (this) {
            out.send(new Reply(Reply.Kind.END, "the run has ended"));
        } catch (IOException gone) {
            // As in run().
        } finally {
            answering.unlock();
        }
    }

    /** Closes at once. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // Already closed.
        }
        commands.close();
    }
}
