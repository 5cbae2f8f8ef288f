package io.hirundo.command;

import java.io.Console;

/** The terminal that the program may be started from. */
public final class Terminal {
  private Terminal() {}

  /**
   * Whether output is read on a terminal, where lines may change: as the system property {@code hirundo.terminal} says, which the
   * launcher sets, and tests. Where it is not set the JVM is asked, which says yes only if standard input is one too.
   */
  @SuppressWarnings("SystemConsoleNull") // it may: JDK 25 gives none where there is no terminal
  public static boolean isThere() {
    String told = System.getProperty("hirundo.terminal");
    if (told != null) {
      return Boolean.parseBoolean(told);
    }
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** Whether it shows colours: unless the system property {@code hirundo.color} says no. */
  public static boolean hasColor() {
    return Boolean.parseBoolean(System.getProperty("hirundo.color", "true"));
  }
}
