package io.hirundo.data;

import java.util.Map;

/**
 * How far a run has read. Saved with its checkpoints.
 *
 * @param sample training samples read since the run began
 * @param parts what was read of each part (a dataset of a blend, by its name in the configuration)
 */
public record DataCursor(long sample, Map<String, Part> parts) {
  /** Nothing has been read. */
  public static final DataCursor BEGINNING = new DataCursor(0, Map.of());

  /**
   * A part of the data.
   *
   * @param read training samples read of it
   * @param planned training samples that were asked of it when its order was made, where the order depends on this; else 0
   */
  public record Part(long read, long planned) {}

  public DataCursor {
    parts = Map.copyOf(parts);
  }

  public boolean isBeginning() {
    return sample == 0;
  }
}
