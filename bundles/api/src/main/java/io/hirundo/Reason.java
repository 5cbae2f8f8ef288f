package io.hirundo;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/**
 * Describes why something failed, without the class names of Java or of libraries: users do not know them, and many file system exceptions
 * contain only a path. Every message of Hirundo that quotes another exception quotes it by this class.
 */
public final class Reason {
    /** A class of an exception at the begin of a message, as an exception that was made of its cause alone has it. */
    private static final Pattern CLASS_NAME =
            Pattern.compile("^(?:(?:[a-z_]\\w*\\.)+[\\w$]*(?:Exception|Error|Throwable)(?:: |$))+");

    private static final int DEEPEST_CAUSE = 10;

    private Reason() {}

    /** For instance {@code PATH: permission denied}; a single line if that of the exception is. */
    public static String of(Throwable e) {
        return of(e, 0);
    }

    /** Of a line of a stack trace that names an exception, {@code CLASS: MESSAGE} or {@code CLASS}. */
    public static String ofTraceLine(String line) {
        String message = CLASS_NAME.matcher(line).replaceFirst("");
        return message.isBlank() ? words(line.replaceFirst(".*\\.", "")) : message;
    }

    private static String of(Throwable e, int depth) {
        if (e.getCause() != null && depth < DEEPEST_CAUSE && isWrapper(e)) {
            return of(e.getCause(), depth + 1);
        }
        return switch (e) {
            case NoSuchFileException missing -> missing.getFile() + ": no such file or folder";
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case FileAlreadyExistsException conflict -> conflict.getFile() + ": file exists";
            case DirectoryNotEmptyException used -> used.getFile() + ": is not empty";
            case NotDirectoryException file -> file.getFile() + ": is not a folder";
            case FileSystemException other
            when other.getReason() == null -> other.getFile() + ": input or output failed";
            case EOFException _ -> "it ends too early";
            case CharacterCodingException _ -> "it is not UTF-8 text";
            case ClassNotFoundException missing -> "there is no class " + missing.getMessage();
            case NoClassDefFoundError missing ->
                "there is no class " + String.valueOf(missing.getMessage()).replace('/', '.');
            default -> message(e);
        };
    }

    private static boolean isWrapper(Throwable e) {
        return e instanceof UncheckedIOException
                || e instanceof InvocationTargetException
                || e instanceof ExecutionException
                || e instanceof CompletionException
                || e.getCause().toString().equals(e.getMessage());
    }

    private static String message(Throwable e) {
        String message =
                e.getMessage() == null ? "" : CLASS_NAME.matcher(e.getMessage()).replaceFirst("");
        return message.isBlank() ? kind(e) : message;
    }

    /** What kind of failure it is, in words, for instance {@code access denied}. */
    public static String kind(Throwable e) {
        return words(e.getClass().getSimpleName());
    }

    /** {@code null pointer} of {@code NullPointerException}: all that is known of one without a message. */
    private static String words(String name) {
        String words = name.replaceFirst("(?<=.)(Exception|Error)$", "")
                .replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                .toLowerCase(Locale.ROOT);
        return switch (words) {
            case "", "runtime", "exception", "error", "throwable" -> "no reason is given";
            case "io" -> "input or output failed";
            default -> words;
        };
    }
}
