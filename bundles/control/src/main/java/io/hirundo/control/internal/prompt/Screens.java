package io.hirundo.control.internal.prompt;

import io.hirundo.control.internal.terminal.LineTerminal;

/** What the process prints, on standard output and standard error and by the log, beside a prompt. */
final class Screens implements AutoCloseable {
  private final PromptScreen out = new PromptScreen(System.out);
  private final PromptScreen err = new PromptScreen(System.err);
  private final ConsoleLogs logs = new ConsoleLogs();

  /** From now on everything that the process prints comes through here. */
  Screens() {
    System.setOut(out.stream());
    System.setErr(err.stream());
  }

  /** A line is going to be typed. */
  void begin(LineTerminal terminal) {
    out.begin(terminal::printAbove);
    if (terminal.showsErrors()) {
      err.begin(terminal::printAbove);
    }
  }

  /** No line is being typed any more. */
  void end() {
    out.end();
    err.end();
  }

  @Override
  public void close() {
    end();
    logs.close();
  }
}
