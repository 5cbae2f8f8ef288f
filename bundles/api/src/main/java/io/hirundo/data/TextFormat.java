package io.hirundo.data;

import io.hirundo.ConfigurationException;
import java.util.Locale;

/**
 * How documents are stored in text files.
 *
 * @param layout what the files are
 * @param textField field of JSON lines that holds the text; null for the reader's default
 */
public record TextFormat(Layout layout, String textField) {
    /** Help of the option {@code --format} of commands that read text. */
    public static final String LAYOUT_HELP =
            "auto: each file's name and first lines decide. jsonl: JSON lines. text: plain text, JSON too. Default: auto.";

    /** Help of their option {@code --text-field}. */
    public static final String FIELD_HELP =
            "Field of JSON lines that holds the text. All files must be JSON lines. Default: text.";

    /** Each file's contents decide, and its name; the default field. */
    public static final TextFormat AUTO = new TextFormat(Layout.AUTO, null);

    /** What a file holds. */
    public enum Layout {
        /** Decided for each file. */
        AUTO,
        /** JSON lines: one object per line. */
        JSONL,
        /** Plain text, also JSON. */
        TEXT
    }

    /** A field exists in JSON lines only: with one, {@link Layout#AUTO} becomes {@link Layout#JSONL}. */
    public TextFormat {
        if (textField != null && layout == Layout.TEXT) {
            throw new ConfigurationException("--text-field: " + textField
                    + " is a field of JSON lines, but the format is text; give only one of both");
        }
        layout = textField != null ? Layout.JSONL : layout;
    }

    /**
     * From the options {@code --format} and {@code --text-field} of a command.
     *
     * @param layout name of a layout; null for {@code auto}
     * @param textField name of a field; null for the default
     * @throws ConfigurationException if there is no such layout, or plain text has a field
     */
    public static TextFormat of(String layout, String textField) {
        if (layout == null) {
            return new TextFormat(Layout.AUTO, textField);
        }
        for (Layout known : Layout.values()) {
            if (name(known).equals(layout)) {
                return new TextFormat(known, textField);
            }
        }
        throw new ConfigurationException("--format: '" + layout + "' is wrong (allowed: auto, jsonl, text)");
    }

    /** The layout as an option: {@code auto}, {@code jsonl} or {@code text}. */
    public String layoutName() {
        return name(layout);
    }

    private static String name(Layout layout) {
        return layout.name().toLowerCase(Locale.ROOT);
    }
}
