package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.lib.input.Excerpt;

/** The start of a generated sample on one line; {@code metrics.jsonl} and the report have all of it. */
record SampleLine(Style style) {
    private static final int MOST_CHARS = 100;

    String of(SampleWritten event) {
        String prompt = oneLine(event.prompt());
        String text = oneLine(event.text());
        String shown = text.length() <= MOST_CHARS
                ? text
                : text.substring(0, MOST_CHARS).stripTrailing() + "...";
        // Remove control characters: generated text must not control the terminal.
        return style.faint("sample  ") + style.strong(Excerpt.of(prompt)) + Excerpt.of(shown);
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
