package io.hirundo.devicecuda.internal.graph;

/** Work under a name, one time. To be used by one thread at a time. */
public abstract sealed class Pass permits ObservationPass, PlacedPass {
  private final Thread owner = Thread.currentThread();
  private String difference;

  /** The next call. */
  public abstract void call(Call.Asked call);

  /** Memory is taken. */
  public abstract Allocation take(long bytes);

  /**
   * Memory that was taken in this pass is given back.
   *
   * @param alone whether nobody but the queue has used it
   */
  public abstract void give(Allocation take, boolean alone);

  /** All that was handed in so far is to be in the stream: somebody does something else with it. */
  public abstract void cut();

  /** Nothing comes any more. */
  public abstract void end();

  /** From now on it is not what it was: everything goes to the stream as it comes. {@code how}: for people. */
  void differ(String how) {
    if (difference == null) {
      difference = how;
    }
  }

  boolean differs() {
    return difference != null;
  }

  /** How it is not what it was; null where it is. */
  String difference() {
    return difference;
  }

  boolean isOfThisThread() {
    return owner == Thread.currentThread();
  }
}
