package io.hirundo.control.internal.prompt;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.Consumer;

/**
 * Standard output or standard error beside a prompt. While a line is being typed, lines that others print appear above it, and
 * what they draw without ending the line, the live progress, gives way to it. At other times everything passes.
 */
final class PromptScreen extends OutputStream {
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream out;

  /** What others have printed of a line that is not at its end, kept back while a line is being typed. */
  private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();

  /** Takes lines while a line is being typed; null at other times. */
  private Consumer<String> above;

  PromptScreen(PrintStream out) {
    this.out = out;
  }

  /** What {@code System.out} or {@code System.err} is to be. */
  PrintStream stream() {
    return new PrintStream(this, true, out.charset());
  }

  /**
   * A line is going to be typed: the row of the live progress is free for it.
   *
   * @param printAbove prints a line above the one that is typed
   */
  synchronized void begin(Consumer<String> printAbove) {
    out.print(CLEAR);
    out.flush();
    above = printAbove;
  }

  /** The line has been typed. */
  synchronized void end() {
    above = null;
    // What it was of the live progress is out of date.
    unfinished.reset();
  }

  @Override
  public synchronized void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) {
    if (above == null) {
      out.write(bytes, offset, length);
      return;
    }
    for (int i = offset; i < offset + length; i++) {
      writeAbove(bytes[i]);
    }
  }

  private void writeAbove(byte value) {
    switch (value) {
      // A line that is begun again, as the live one is.
      case '\r' -> unfinished.reset();
      case '\n' -> {
        above.accept(unfinished.toString(out.charset()));
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
