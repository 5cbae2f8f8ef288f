package io.hirundo.control.internal.prompt;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.Consumer;

/**
 * Standard output or standard error beside a prompt. While a line is being typed, lines that others print appear above it, and
 * what they draw without ending the line, the live progress, gives way to it. At other times everything passes, and a line that follows
 * the live progress replaces it: the answer to a command does not begin at its end.
 */
final class PromptScreen extends OutputStream {
  private static final String CLEAR = "\r\u001b[K";

  private static final byte ESCAPE = 0x1b;

  private final PrintStream out;

  /** What others have printed of a line that is not at its end, kept back while a line is being typed. */
  private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();

  /** Whether the row of the cursor shows the live progress, which is to be overwritten. */
  private boolean isLive;

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
    isLive = false;
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
      pass(bytes, offset, length);
      return;
    }
    for (int i = offset; i < offset + length; i++) {
      writeAbove(bytes[i]);
    }
  }

  private void pass(byte[] bytes, int offset, int length) {
    if (isLive && length > 0 && bytes[offset] != '\r') {
      out.print(CLEAR);
      isLive = false;
    }
    out.write(bytes, offset, length);
    // The first of the live lines begins with an escape sequence, the others with a carriage return.
    isLive |= length > 0 && bytes[offset] == ESCAPE;
    for (int i = offset; i < offset + length; i++) {
      isLive = bytes[i] == '\r' || isLive && bytes[i] != '\n';
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
