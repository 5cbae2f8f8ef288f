package io.hirundo.control.internal.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class AcceptorTest {
    @Test
    void acceptsAgainAfterAFailure() throws IOException {
        List<SocketChannel> letIn = new ArrayList<>();
        try (SocketChannel first = SocketChannel.open();
                SocketChannel second = SocketChannel.open()) {
            Queue<Object> outcomes = new ArrayDeque<>(List.of(
                    first,
                    new IOException("too many open files"),
                    new IOException("too many open files"),
                    second,
                    new ClosedChannelException(),
                    first));

            new Acceptor(
                            "tiny",
                            () -> {
                                Object outcome = outcomes.remove();
                                if (outcome instanceof IOException failure) {
                                    throw failure;
                                }
                                return (SocketChannel) outcome;
                            },
                            letIn::add)
                    .run();

            assertEquals(List.of(first, second), letIn);
            assertEquals(1, outcomes.size(), "a closed door is the end");
        }
    }
}
