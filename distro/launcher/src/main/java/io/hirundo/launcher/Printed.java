package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

/** Text for the terminal. The launcher runs before any bundle: {@code lib-input} does the same for commands. */
final class Printed {
    private Printed() {}

    /** Escapes what a file name or a message may contain and a terminal would obey, line by line. */
    static String text(String text) {
        var printed = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            switch (c == '\n' ? Character.UNASSIGNED : Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> printed.append(String.format(Locale.ROOT, "\\u%04x", c));
                default -> printed.appendCodePoint(c);
            }
        });
        return printed.toString();
    }

    /** Why something failed, without class names where they say nothing to a user. The launcher has no access to the API's Reason. */
    static String reason(Throwable e) {
        return switch (e) {
            case NoSuchFileException missing -> missing.getFile() + ": no such file or folder";
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case FileAlreadyExistsException conflict -> conflict.getFile() + ": file exists";
            case FileSystemException other
            when other.getReason() == null -> other.getFile() + ": input or output failed";
            case ClassNotFoundException missing -> "there is no class " + missing.getMessage();
            case NoClassDefFoundError missing ->
                "there is no class " + String.valueOf(missing.getMessage()).replace('/', '.');
            default -> e.getMessage() == null ? unnamed(e) : e.getMessage();
        };
    }

    private static String unnamed(Throwable e) {
        return e instanceof IOException ? "input or output failed" : e.toString();
    }
}
