package io.hirundo.commmpi.internal;

/** What ranks do together. */
enum Kind {
  ALL_REDUCE("all-reduce"),
  ALL_GATHER("all-gather"),
  REDUCE_SCATTER("reduce-scatter"),
  BROADCAST("broadcast"),
  ALL_TO_ALL("all-to-all"),
  SEND("send"),
  RECEIVE("receive"),
  BARRIER("barrier");

  private final String words;

  Kind(String words) {
    this.words = words;
  }

  /** Whether it is between two ranks. */
  boolean isBetweenTwo() {
    return this == SEND || this == RECEIVE;
  }

  @Override
  public String toString() {
    return words;
  }
}
