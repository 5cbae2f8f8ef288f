package io.hirundo.data;

import java.util.Map;

/**
 * Data cursor: how far a run has read. Saved with its checkpoints.
 *
 * @param sample consumed training samples since the run began
 * @param parts cursor of each dataset of a blend, by its name in the configuration
 */
public record DataCursor(long sample, Map<String, Part> parts) {
    /** Nothing has been read. */
    public static final DataCursor BEGINNING = new DataCursor(0, Map.of());

    /**
     * Cursor of one dataset.
     *
     * @param read consumed training samples of it
     * @param planned training samples requested when its order was shuffled, if the order depends on that; else 0
     */
    public record Part(long read, long planned) {}

    public DataCursor {
        parts = Map.copyOf(parts);
    }

    public boolean isBeginning() {
        return sample == 0;
    }
}
