package io.hirundo.control.internal.attach;

import io.hirundo.control.internal.socket.Reply;

/** What happens in a conversation with a run, at either end. */
sealed interface Event {
  /** A line was typed. */
  record Typed(String line) implements Event {}

  /** Nothing more will be typed. */
  record TypingEnded() implements Event {}

  /** The run says something. */
  record Answered(Reply reply) implements Event {}

  /** The run says nothing any more. */
  record Disconnected() implements Event {}

  /** The user wants this to end, Ctrl-C. */
  record Interrupted() implements Event {}
}
