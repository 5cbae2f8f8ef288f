package io.hirundo.trainer.internal.data;

import io.hirundo.data.DataCursor;

/** The data that a run reads at present. A change exchanges it; while its source is gone there is none. */
public final class CurrentData implements AutoCloseable {
  /** Null while the source is gone. */
  private RunData open;
  /** Whence a source that takes over goes on, while there is none. */
  private DataCursor next = DataCursor.BEGINNING;
  /** Of the samples that were read last. */
  private String order = "";

  public CurrentData(RunData first) {
    open = first;
  }

  public boolean isThere() {
    return open != null;
  }

  /** Not while the source is gone. */
  public RunData get() {
    return open;
  }

  /** Whence a source that takes over after so many samples goes on. */
  public DataCursor cursorAfter(long samples) {
    return open == null ? next : open.samples().cursorAfter(samples);
  }

  /** Whence the present source reads; saved with the run, which then reads on as if it had never stopped. */
  public DataCursor begin() {
    return open == null ? next : open.begin();
  }

  /** The name of the order in which samples are read, or were before the source was gone. */
  public String order() {
    return open == null ? order : open.samples().order();
  }

  /** Lets the source go after so many samples; nobody reads any more. */
  public void release(long samples) {
    order = order();
    next = cursorAfter(samples);
    close();
  }

  /** Takes other data, which was opened to go on; nobody reads any more. */
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
