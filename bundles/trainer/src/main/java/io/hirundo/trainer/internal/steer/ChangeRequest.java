package io.hirundo.trainer.internal.steer;

import java.util.List;
import java.util.stream.Collectors;

/** A request to a run, with a text form for the all-gather between ranks. */
public sealed interface ChangeRequest {
    /**
     * A change of the configuration.
     *
     * @param assignments {@code path=value} each
     */
    record Change(List<String> assignments) implements ChangeRequest {
        public Change {
            assignments = assignments.stream()
                    .map(assignment -> assignment.replaceAll("\\R", " "))
                    .toList();
        }
    }

    /** A request without arguments. */
    enum Order implements ChangeRequest {
        SAVE,
        PAUSE,
        RESUME,
        STOP
    }

    /** The request as text. */
    default String line() {
        return switch (this) {
            case Change change ->
                change.assignments().stream()
                        .map(assignment -> "\n" + assignment)
                        .collect(Collectors.joining("", "CHANGE", ""));
            case Order order -> order.name();
        };
    }

    /** Parses the text of a request. */
    static ChangeRequest parse(String line) {
        List<String> words = List.of(line.split("\n", -1));
        return words.getFirst().equals("CHANGE")
                ? new Change(words.subList(1, words.size()))
                : Order.valueOf(words.getFirst());
    }
}
