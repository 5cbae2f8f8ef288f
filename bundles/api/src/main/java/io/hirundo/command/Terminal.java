package io.hirundo.command;

import java.io.Console;

/** Properties of the terminal that the program writes to. */
public final class Terminal {
    private Terminal() {}

    /**
     * Whether output goes to a terminal. The launcher and tests set the system property {@code hirundo.terminal}. Without it, the
     * JVM decides, which requires that standard input is a terminal too.
     */
    @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null without a terminal
    public static boolean isThere() {
        String setting = System.getProperty("hirundo.terminal");
        if (setting != null) {
            return Boolean.parseBoolean(setting);
        }
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Whether to use colors; false if the system property {@code hirundo.color} is false. */
    public static boolean hasColor() {
        return Boolean.parseBoolean(System.getProperty("hirundo.color", "true"));
    }
}
