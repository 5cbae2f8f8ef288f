package io.hirundo.control.internal.terminal;

import io.hirundo.control.internal.command.LineScanner;
import java.util.List;
import org.jline.reader.CompletingParsedLine;

/** The line up to the cursor, as JLine needs it: the text before the completed word, and that word as typed. */
record TypedLine(String line, int cursor, int wordStart) implements CompletingParsedLine {
    static TypedLine of(String line, int cursor) {
        String before = line.substring(0, cursor);
        int start;
        try {
            start = LineScanner.scan(before).wordStart();
        } catch (RuntimeException noCommand) {
            // Entering the line will report the error; there is nothing to complete.
            start = cursor;
        }
        return new TypedLine(line, cursor, start);
    }

    @Override
    public String word() {
        return line.substring(wordStart, cursor);
    }

    @Override
    public int wordCursor() {
        return cursor - wordStart;
    }

    @Override
    public int wordIndex() {
        return 0;
    }

    @Override
    public List<String> words() {
        return List.of(word());
    }
    /** Candidates are words as typed, with nothing to escape. */
    @Override
    public CharSequence escape(CharSequence candidate, boolean complete) {
        return candidate;
    }

    @Override
    public int rawWordCursor() {
        return wordCursor();
    }

    @Override
    public int rawWordLength() {
        return wordCursor();
    }
}
