package io.hirundo.trainer.internal.binding;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.util.List;
import java.util.Map;

/**
 * Puts single settings over a document, {@code training.steps=100} or {@code monitors.0.options.lines=true}. What the
 * document leaves to its defaults can be reached as well; what does not exist cannot.
 */
public final class Overrides {
  /** Of a long assignment: the message names its path once more. */
  private static final int SHOWN_OF_LONG = 45;

  private final ValueType.Nested type;

  /** Overrides for documents that bind to the type. */
  public Overrides(Class<? extends Record> type) {
    this.type = new ValueType.Nested(type);
  }

  /**
   * Applies assignments one after the other.
   *
   * @param document stays as it is
   * @param assignments {@code path=value}; a value is JSON, or a YAML list or object in brackets, or else text
   * @param problems receives what cannot be assigned
   */
  public Map<String, Object> apply(Map<String, Object> document, List<String> assignments, Problems problems) {
    Map<String, Object> result = document;
    for (String assignment : assignments) {
      try {
        result = asObject(Assignment.parse(assignment).into(type, result, null, 0));
      } catch (ConfigurationException e) {
        problems.add("", "--set " + shown(assignment) + ": " + e.getMessage());
      }
    }
    return result;
  }

  private static String shown(String assignment) {
    return assignment.length() <= Excerpt.MAX_CHARS ? Excerpt.of(assignment) : Excerpt.of(assignment, SHOWN_OF_LONG);
  }

  @SuppressWarnings("unchecked") // an assignment into an object gives an object
  private static Map<String, Object> asObject(Object document) {
    return (Map<String, Object>) document;
  }
}
