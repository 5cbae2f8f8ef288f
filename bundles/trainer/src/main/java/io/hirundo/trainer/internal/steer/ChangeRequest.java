package io.hirundo.trainer.internal.steer;

import java.util.List;
import java.util.stream.Collectors;

/** Something that is wanted of a run, in a form that ranks can tell each other. */
public sealed interface ChangeRequest {
  /**
   * Another configuration.
   *
   * @param assignments {@code path=value} each
   */
  record Change(List<String> assignments) implements ChangeRequest {
    public Change {
      assignments = assignments.stream().map(assignment -> assignment.replaceAll("\\R", " ")).toList();
    }
  }

  /** What needs no further words. */
  enum Order implements ChangeRequest {
    SAVE,
    PAUSE,
    RESUME,
    STOP
  }

  /** The text of a wish. */
  default String line() {
    return switch (this) {
      case Change change ->
          change.assignments().stream().map(assignment -> "\n" + assignment).collect(Collectors.joining("", "CHANGE", ""));
      case Order order -> order.name();
    };
  }

  /** The wish of a text. */
  static ChangeRequest parse(String line) {
    List<String> words = List.of(line.split("\n", -1));
    return words.getFirst().equals("CHANGE")
        ? new Change(words.subList(1, words.size()))
        : Order.valueOf(words.getFirst());
  }
}
