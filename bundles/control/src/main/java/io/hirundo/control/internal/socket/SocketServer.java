package io.hirundo.control.internal.socket;

import io.hirundo.Reason;
import io.hirundo.command.ShellLine;
import io.hirundo.control.internal.command.CommandTable;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunStatus;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on a Unix socket in the run directory while there is a run. Uses no network. */
@Component(
        service = {},
        immediate = true)
public final class SocketServer {
    static final int MOST_CONNECTIONS = 8;

    /**
     * Time for the current command when the run ends; a client that does not read must not keep the process alive.
     */
    private static final Duration GRACE = Duration.ofSeconds(1);

    static final Duration LINE_TIME = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);

    private final RunStatus run;
    private final CommandTable commands;
    private final Executor afterLineTime;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private SocketFile socket;

    /** Opens the socket. If that fails, the run continues without one. */
    @Activate
    public SocketServer(@Reference RunControl control, @Reference CommandTable commands) {
        this(
                control,
                commands,
                CompletableFuture.delayedExecutor(
                        LINE_TIME.toSeconds(),
                        TimeUnit.SECONDS,
                        expire -> Thread.ofPlatform().daemon().start(expire)));
    }

    /** {@code afterLineTime}: runs a task after the time limit for a line. */
    SocketServer(RunControl control, CommandTable commands, Executor afterLineTime) {
        this.run = control.status();
        this.commands = commands;
        this.afterLineTime = afterLineTime;
        try {
            socket = SocketFile.open(run.directory());
            var acceptor = new Acceptor(run.name(), socket.channel()::accept, this::serve);
            Thread.ofPlatform().daemon().name("hirundo-control").start(acceptor);
        } catch (IOException | RuntimeException failure) {
            LOG.warn(
                    "{} cannot reach run {}: no socket in {}: {}",
                    ShellLine.of("attach"),
                    run.name(),
                    run.directory(),
                    Reason.of(failure));
        }
    }

    private void serve(SocketChannel channel) {
        if (connections.size() >= MOST_CONNECTIONS) {
            reject(channel);
            return;
        }
        var connection = new Connection(run.name(), channel, commands, afterLineTime);
        connections.add(connection);
        Thread.ofPlatform().daemon().name("hirundo-control-connection").start(() -> {
            try {
                connection.run();
            } finally {
                connections.remove(connection);
            }
        });
    }

    private static void reject(SocketChannel channel) {
        try (channel) {
            var reply = new Reply(
                    Reply.Kind.END, MOST_CONNECTIONS + " clients are attached to this run already; close one of them");
            channel.write(StandardCharsets.UTF_8.encode(reply.line() + "\n"));
        } catch (IOException gone) {
            // A client that does not read gets no answer: the others still wait for accept.
        }
    }

    /** Deletes the socket and closes all connections. */
    @Deactivate
    public void close() throws InterruptedException {
        if (socket == null) {
            return;
        }
        try {
            socket.close();
        } catch (IOException failure) {
            LOG.warn("cannot remove {}: {}", socket.place(), Reason.of(failure));
        }
        List<Thread> goodbyes = new ArrayList<>();
        connections.forEach(
                connection -> goodbyes.add(Thread.ofPlatform().daemon().start(connection::end)));
        long deadline = System.nanoTime() + GRACE.toNanos();
        for (Thread goodbye : goodbyes) {
            goodbye.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
        }
        connections.forEach(Connection::close);
    }
}
