package io.hirundo.devicecuda.internal.graph;

/** The place of a call in work that is repeated. */
final class CallSlot {
  private final Call call;
  private boolean varies;
  private boolean behindCut;

  /** {@code call}: kept. */
  CallSlot(Call call) {
    this.call = call;
  }

  Call call() {
    return call;
  }

  /** Whether its operands are not the same each time. */
  boolean varies() {
    return varies;
  }

  /** Returns whether that is news. */
  boolean vary() {
    boolean news = !varies;
    varies = true;
    return news;
  }

  /** Whether what is before it has to be in the stream before this is asked for. */
  boolean isBehindCut() {
    return behindCut;
  }

  /** Returns whether that is news. */
  boolean cut() {
    boolean news = !behindCut;
    behindCut = true;
    return news;
  }
}
