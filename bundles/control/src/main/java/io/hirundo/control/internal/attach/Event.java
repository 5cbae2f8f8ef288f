package io.hirundo.control.internal.attach;

import io.hirundo.control.internal.socket.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An event in a conversation with a run, from the user or from the run. */
sealed interface Event {
    /** The user typed a line; a single one, because each is answered. */
    record Typed(String line) implements Event {}

    /** End of input. */
    record TypingEnded() implements Event {}

    /** The user requests completion of the last word of a line. */
    record Completing(String line, CompletableFuture<List<String>> candidates) implements Event {}

    /** The typed text cannot be a command. */
    record Unreadable(String reason) implements Event {}

    /** The run sent a reply. */
    record Answered(Reply reply) implements Event {}

    /** What answers is no run. */
    record NoRun(String message) implements Event {}

    /** The run closed the connection. */
    record Disconnected() implements Event {}

    /** The user pressed Ctrl-C. */
    record Interrupted() implements Event {}
}
