package io.hirundo.mesh.support;

/** What ranks do together. Its name is how messages call it. */
public enum Collective {
  ALL_REDUCE("all-reduce"),
  ALL_GATHER("all-gather"),
  REDUCE_SCATTER("reduce-scatter"),
  BROADCAST("broadcast"),
  ALL_TO_ALL("all-to-all"),
  SEND("send"),
  RECEIVE("receive"),
  BARRIER("barrier");

  private final String words;

  Collective(String words) {
    this.words = words;
  }

  /** Whether it is between two ranks. */
  public boolean isBetweenTwo() {
    return this == SEND || this == RECEIVE;
  }

  @Override
  public String toString() {
    return words;
  }
}
