package io.hirundo.control.internal.socket;

import io.hirundo.Reason;
import io.hirundo.command.ShellLine;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections until the socket closes. */
final class Acceptor implements Runnable {
    /** The listening socket. */
    @FunctionalInterface
    interface Door {
        SocketChannel next() throws IOException;
    }

    private static final Duration BETWEEN_CONNECTIONS = Duration.ofMillis(10);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    private final String run;
    private final Door door;
    private final Consumer<SocketChannel> visitors;
    private boolean told;

    Acceptor(String run, Door door, Consumer<SocketChannel> visitors) {
        this.run = run;
        this.door = door;
        this.visitors = visitors;
    }

    @Override
    public void run() {
        try {
            while (letIn()) {
                // A client that reconnects in a loop must not take CPU time from the training.
                Thread.sleep(BETWEEN_CONNECTIONS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** False when the run has ended. */
    private boolean letIn() throws InterruptedException {
        try {
            visitors.accept(door.next());
        } catch (ClosedChannelException ended) {
            return false;
        } catch (IOException failure) {
            // Errors such as too many open files are temporary: keep a long run reachable.
            if (!told) {
                LOG.warn(
                        "{} cannot reach run {} at the moment: {}; retrying",
                        ShellLine.of("attach"),
                        run,
                        Reason.of(failure));
                told = true;
            }
            Thread.sleep(AFTER_FAILURE);
        }
        return true;
    }
}
