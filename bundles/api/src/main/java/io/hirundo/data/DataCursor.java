package io.hirundo.data;

import java.util.Map;

/**
 * How far a run has read. Saved with its checkpoints.
 *
 * @param sample training samples read since the run began
 * @param readOfPart training samples read of each part (a dataset of a blend, by its name in the configuration)
 */
public record DataCursor(long sample, Map<String, Long> readOfPart) {
  /** Nothing has been read. */
  public static final DataCursor BEGINNING = new DataCursor(0, Map.of());

  public DataCursor {
    readOfPart = Map.copyOf(readOfPart);
  }

  public boolean isBeginning() {
    return sample == 0;
  }
}
