package io.hirundo.control.internal.attach;

import io.hirundo.control.internal.socket.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What happens in a conversation with a run, at either end. */
sealed interface Event {
  /** A line was typed; one line, because each is answered. */
  record Typed(String line) implements Event {}

  /** Nothing more will be typed. */
  record TypingEnded() implements Event {}

  /** Somebody waits for the candidates for the last word of a line. */
  record Completing(String line, CompletableFuture<List<String>> candidates) implements Event {}

  /** What was typed cannot be a command. */
  record Unreadable(String reason) implements Event {}

  /** The run says something. */
  record Answered(Reply reply) implements Event {}

  /** The run says nothing any more. */
  record Disconnected() implements Event {}

  /** The user wants this to end, Ctrl-C. */
  record Interrupted() implements Event {}
}
