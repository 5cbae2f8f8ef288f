package io.hirundo.lib.configuration.binding;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.util.List;
import java.util.Map;

/**
 * Applies single settings to a document, for example {@code training.steps=100} or {@code monitors.0.options.lines=true}. Settings with
 * default values can be set too. Settings that do not exist are errors.
 */
public final class Overrides {
    /** Length at which a long assignment is cut in a message; the message repeats its path. */
    private static final int SHOWN_OF_LONG = 45;

    private final ValueType.Nested type;

    /** Overrides for documents that bind to the given record type. */
    public Overrides(Class<? extends Record> type) {
        this.type = new ValueType.Nested(type);
    }

    /**
     * Applies assignments in order.
     *
     * @param document is not modified
     * @param assignments {@code path=value}; a value is JSON, a YAML list or object in brackets, or plain text
     * @param problems receives the errors
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
        return assignment.length() <= Excerpt.MAX_CHARS
                ? Excerpt.of(assignment)
                : Excerpt.of(assignment, SHOWN_OF_LONG);
    }

    @SuppressWarnings("unchecked") // the root of a document is an object
    private static Map<String, Object> asObject(Object document) {
        return (Map<String, Object>) document;
    }
}
