package io.hirundo.monitor.internal.console;

/** How text stands out: by ANSI colours, or not at all. */
enum Style {
  PLAIN,
  COLOR;

  /** What matters most in a line. */
  String strong(String text) {
    return wrapped("1", text);
  }

  /** A good result. */
  String result(String text) {
    return wrapped("32", text);
  }

  /** What is wrong. */
  String alarm(String text) {
    return wrapped("1;31", text);
  }

  /** Names of figures. */
  String faint(String text) {
    return wrapped("2", text);
  }

  private String wrapped(String code, String text) {
    return this == COLOR ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
