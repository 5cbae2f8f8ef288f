package io.hirundo.monitor.internal.console;

/** Text styles: ANSI colors, or none. */
enum Style {
    PLAIN,
    COLOR;

    /** The most important part of a line. */
    String strong(String text) {
        return wrapped("1", text);
    }

    /** A good result. */
    String result(String text) {
        return wrapped("32", text);
    }

    /** An error. */
    String alarm(String text) {
        return wrapped("1;31", text);
    }

    /** Labels of figures. */
    String faint(String text) {
        return wrapped("2", text);
    }

    private String wrapped(String code, String text) {
        return this == COLOR ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
