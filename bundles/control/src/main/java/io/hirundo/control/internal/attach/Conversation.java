package io.hirundo.control.internal.attach;

import io.hirundo.ExitCode;
import io.hirundo.control.internal.socket.Reply;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.BlockingQueue;

/**
 * One command after the other: the next is sent when the one before it is answered. Runs on one thread, fed by a queue.
 */
final class Conversation {
  private static final Set<String> LEAVE = Set.of("exit", "quit");

  /** Sends a line to the run. */
  @FunctionalInterface
  interface Sender {
    void send(String line) throws IOException;
  }

  private final Sender sender;
  private final PrintStream out;
  private final PrintStream err;
  private final boolean prompting;

  /** Typed while a command was still being answered. */
  private final Deque<String> waiting = new ArrayDeque<>();

  private String prompt = "";
  private boolean greeted;
  private boolean answering;
  private boolean leaving;
  private int exitCode = ExitCode.OK;

  /** A conversation, with a prompt where one is wanted. */
  Conversation(Sender sender, PrintStream out, PrintStream err, boolean prompting) {
    this.sender = sender;
    this.out = out;
    this.err = err;
    this.prompting = prompting;
  }

  /**
   * Goes on until either side ends it.
   *
   * @return {@link ExitCode#OK} if every command was granted, else the code of the last that was not
   */
  int run(BlockingQueue<Event> events) throws InterruptedException {
    boolean open = true;
    while (open) {
      open = handle(events.take());
      if (open && greeted && !answering) {
        open = sendNext();
      }
    }
    return exitCode;
  }

  private boolean handle(Event event) {
    return switch (event) {
      case Event.Typed typed -> {
        waiting.add(typed.line());
        yield true;
      }
      case Event.TypingEnded _ -> {
        leaving = true;
        yield true;
      }
      case Event.Answered answer -> answered(answer.reply());
      case Event.Disconnected _ -> {
        disconnected("the run has ended");
        yield false;
      }
      case Event.Interrupted _ -> false;
    };
  }

  private boolean answered(Reply reply) {
    switch (reply.kind()) {
      case GREETING -> {
        greeted = true;
        prompt = reply.text() + "> ";
        prompt();
      }
      case OUTPUT -> out.println(reply.text());
      case DONE -> {
        answering = false;
        reply.exitCode().stream().filter(code -> code != ExitCode.OK).forEach(code -> exitCode = code);
        prompt();
      }
      case END -> {
        disconnected(reply.text());
        return false;
      }
    }
    return true;
  }

  private void disconnected(String why) {
    if (prompting && !answering) {
      out.println();
    }
    if (answering || !waiting.isEmpty() || !greeted) {
      err.println("hirundo: " + why + (answering ? "; the last command was not answered" : ""));
      exitCode = exitCode == ExitCode.OK ? ExitCode.REFUSED : exitCode;
    } else if (prompting) {
      out.println(why);
    }
  }

  /** Whether there is more to come. */
  private boolean sendNext() {
    while (!waiting.isEmpty() && waiting.peek().isBlank()) {
      waiting.remove();
      prompt();
    }
    if (waiting.isEmpty()) {
      return !leaving;
    }
    String line = waiting.remove().strip();
    if (LEAVE.contains(line)) {
      return false;
    }
    answering = true;
    try {
      sender.send(line);
    } catch (IOException gone) {
      disconnected("the run has ended");
      return false;
    }
    return true;
  }

  private void prompt() {
    if (prompting && waiting.isEmpty() && !leaving) {
      out.print(prompt);
      out.flush();
    }
  }
}
