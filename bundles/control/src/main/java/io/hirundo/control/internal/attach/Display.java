package io.hirundo.control.internal.attach;

/** What the user of a conversation sees. */
interface Display extends AutoCloseable {
  /** Whether somebody types at a prompt, rather than a script. */
  boolean isPrompting();

  /** The next line may be typed. */
  void prompt(String text);

  /** Shows a line of an answer. */
  void print(String line);

  /** No line is typed any more; the cursor is at the beginning of a row. */
  @Override
  void close();
}
