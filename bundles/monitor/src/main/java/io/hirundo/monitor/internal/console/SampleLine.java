package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.lib.input.Excerpt;

/** The beginning of what a model has written, in one line: all of it is in {@code metrics.jsonl} and the report. */
record SampleLine(Style style) {
  private static final int MOST_CHARS = 100;

  String of(SampleWritten event) {
    String prompt = oneLine(event.prompt());
    String text = oneLine(event.text());
    String shown = text.length() <= MOST_CHARS ? text : text.substring(0, MOST_CHARS).stripTrailing() + "...";
    // A model writes whatever characters it likes: none of them may steer the terminal.
    return style.faint("writes  ") + style.strong(Excerpt.of(prompt)) + Excerpt.of(shown);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }
}
