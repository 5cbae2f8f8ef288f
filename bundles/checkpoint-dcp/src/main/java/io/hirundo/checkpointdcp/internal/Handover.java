package io.hirundo.checkpointdcp.internal;

/**
 * What a rank has to do with its data in one save, as all ranks have agreed.
 *
 * @param placement where it writes; null where the save has failed already
 * @param to the rank that its data are passed to by messages, or {@link Exchange#NOBODY}
 * @param from the rank whose data come by messages, or {@link Exchange#NOBODY}
 */
record Handover(Placement placement, int to, int from) {
  /** Nothing is passed. */
  static Handover toNobody(Placement placement) {
    return new Handover(placement, Exchange.NOBODY, Exchange.NOBODY);
  }

  boolean sends() {
    return to != Exchange.NOBODY;
  }

  /** Length of the file that comes. */
  long receivedBytes() {
    return from == Exchange.NOBODY ? 0 : placement.receivedBytes();
  }
}
