package io.hirundo.trainer.internal.data;

import io.hirundo.data.DataCursor;

/** The data that a run reads. A swap replaces it; while its source is missing there is none. */
public final class CurrentData implements AutoCloseable {
    /** Null while the source is missing. */
    private RunData open;
    /** The data cursor for the next source, while there is none. */
    private DataCursor next = DataCursor.BEGINNING;
    /** The order of the last samples. */
    private String order = "";

    public CurrentData(RunData first) {
        open = first;
    }

    public boolean isThere() {
        return open != null;
    }

    /** Must not be called while the source is missing. */
    public RunData get() {
        return open;
    }

    /** The data cursor for a source that takes over after so many samples. */
    public DataCursor cursorAfter(long samples) {
        return open == null ? next : open.samples().cursorAfter(samples);
    }

    /** The data cursor that the current source started from; saved in checkpoints, so a resumed run reads the same samples. */
    public DataCursor begin() {
        return open == null ? next : open.begin();
    }

    /** The name of the sample order, also after the source is gone. */
    public String order() {
        return open == null ? order : open.samples().order();
    }

    /** Closes the source after so many samples; no reader may be left. */
    public void release(long samples) {
        order = order();
        next = cursorAfter(samples);
        close();
    }

    /** Installs other data, opened at the cursor; no reader may be left. */
    public void replace(RunData other) {
        close();
        open = other;
    }

    @Override
    public void close() {
        if (open != null) {
            open.close();
            open = null;
        }
    }
}
