package io.hirundo.control.internal.prompt;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Standard output with a prompt at its end. While the prompt is there, lines that others print appear above it, and
 * what they draw without ending the line, the live progress, gives way to it. Where output is no terminal nothing is
 * drawn, and everything passes.
 */
final class PromptScreen extends OutputStream {
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream out;
  private final boolean terminal;

  /** What others have printed of a line that is not at its end, kept back while there is a prompt. */
  private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();

  private String prompt = "";

  PromptScreen(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** What {@code System.out} is to be. */
  PrintStream stream() {
    return new PrintStream(this, true, out.charset());
  }

  /** Shows a prompt from now on. */
  synchronized void show(String text) {
    if (terminal) {
      prompt = text;
      out.print(CLEAR + prompt);
      out.flush();
    }
  }

  /** The user has ended the line of the prompt. */
  synchronized void entered() {
    prompt = "";
  }

  /** No prompt any more. */
  synchronized void hide() {
    if (!prompt.isEmpty()) {
      out.print(CLEAR);
      out.flush();
      prompt = "";
    }
    unfinished.reset();
  }

  @Override
  public synchronized void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) {
    if (prompt.isEmpty()) {
      out.write(bytes, offset, length);
      return;
    }
    for (int i = offset; i < offset + length; i++) {
      writeAbove(bytes[i]);
    }
  }

  private void writeAbove(byte value) {
    switch (value) {
      // A line that is begun anew, as the live one is.
      case '\r' -> unfinished.reset();
      case '\n' -> {
        out.print(CLEAR);
        out.write(unfinished.toByteArray(), 0, unfinished.size());
        out.print(System.lineSeparator() + prompt);
        out.flush();
        unfinished.reset();
      }
      default -> unfinished.write(value);
    }
  }

  @Override
  public synchronized void flush() {
    out.flush();
  }
}
