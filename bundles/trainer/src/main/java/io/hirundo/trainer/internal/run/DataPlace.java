package io.hirundo.trainer.internal.run;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.data.DataCursor;
import java.util.LinkedHashMap;
import java.util.Map;

/** A place in the data as a checkpoint's values tell it. */
final class DataPlace {
  private static final String SAMPLE = "sample";
  private static final String READ_OF_PART = "readOfPart";

  private DataPlace() {}

  static Map<String, Object> values(DataCursor cursor) {
    return Map.of(SAMPLE, cursor.sample(), READ_OF_PART, cursor.readOfPart());
  }

  /** {@code value}: null in a checkpoint of a run whose source was never changed. */
  static DataCursor cursor(CheckpointInfo checkpoint, Object value) {
    if (value == null) {
      return DataCursor.BEGINNING;
    }
    if (value instanceof Map<?, ?> place
        && place.get(SAMPLE) instanceof Number sample
        && place.get(READ_OF_PART) instanceof Map<?, ?> parts) {
      var readOfPart = new LinkedHashMap<String, Long>();
      parts.forEach((part, read) -> readOfPart.put((String) part, ((Number) read).longValue()));
      return new DataCursor(sample.longValue(), readOfPart);
    }
    throw new CheckpointException(checkpoint.path() + " does not say where in the data it was made: it is damaged");
  }
}
