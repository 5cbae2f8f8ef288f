package io.hirundo.trainer.internal.checkpoint.value;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.data.DataCursor;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts a data cursor to and from a checkpoint's values. */
public final class SavedCursor {
    private static final String FIELD = "values." + SavedValues.DATA_BEGIN;
    private static final String SAMPLE = "sample";
    private static final String PARTS = "parts";
    private static final String READ = "read";
    private static final String PLANNED = "planned";

    private SavedCursor() {}

    public static Map<String, Object> values(DataCursor cursor) {
        var parts = new LinkedHashMap<String, Object>();
        cursor.parts().forEach((name, part) -> parts.put(name, Map.of(READ, part.read(), PLANNED, part.planned())));
        return Map.of(SAMPLE, cursor.sample(), PARTS, parts);
    }

    /** {@code value}: null in a checkpoint of a run whose data source has never changed. */
    public static DataCursor cursor(CheckpointInfo checkpoint, Object value) {
        if (value == null) {
            return DataCursor.BEGINNING;
        }
        if (value instanceof Map<?, ?> place && place.get(PARTS) instanceof Map<?, ?> parts) {
            long sample = new SavedIntegers(checkpoint, FIELD, place).count(SAMPLE);
            var read = new LinkedHashMap<String, DataCursor.Part>();
            parts.forEach((name, part) -> read.put((String) name, part(checkpoint, part)));
            return new DataCursor(sample, read);
        }
        throw damaged(checkpoint);
    }

    private static DataCursor.Part part(CheckpointInfo checkpoint, Object value) {
        if (value instanceof Map<?, ?> part) {
            var numbers = new SavedIntegers(checkpoint, FIELD + "." + PARTS, part);
            return new DataCursor.Part(numbers.count(READ), numbers.count(PLANNED));
        }
        throw damaged(checkpoint);
    }

    private static CheckpointException damaged(CheckpointInfo checkpoint) {
        return new CheckpointException(
                checkpoint.path() + " does not say where in the data it was made: it is damaged");
    }
}
