package io.hirundo.trainer.internal.checkpoint.value;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import java.util.Map;

/**
 * Reads integers from the values of a checkpoint.
 *
 * @param where the field that contains them, for messages
 */
public record SavedIntegers(CheckpointInfo checkpoint, String where, Map<?, ?> values) {
    private static final int MAX_SHOWN = 60;

    public long whole(String key) {
        return number(key, Long.MIN_VALUE, "a whole number");
    }

    /** An integer of at least 0. */
    public long count(String key) {
        return number(key, 0, "a whole number of at least 0");
    }

    private long number(String key, long least, String allowed) {
        Object value = values.get(key);
        if ((value instanceof Long || value instanceof Integer) && ((Number) value).longValue() >= least) {
            return ((Number) value).longValue();
        }
        String shown = String.valueOf(value).replaceAll("\\p{Cntrl}", "?");
        throw new CheckpointException(checkpoint.path() + ": field " + where + "." + key + " is "
                + (value == null
                        ? "missing"
                        : shown.length() <= MAX_SHOWN ? shown : shown.substring(0, MAX_SHOWN) + "...")
                + " (allowed: " + allowed + "); use an older checkpoint");
    }
}
