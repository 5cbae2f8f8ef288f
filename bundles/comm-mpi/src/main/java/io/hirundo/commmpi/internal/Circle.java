package io.hirundo.commmpi.internal;

import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * The ranks of a group, and how their messages are told from those of other groups: by tags. Two ranks need the same number
 * for a group that both are in, and no other rank needs to agree; so groups are made without a word between ranks.
 *
 * @param name as in {@code along [DATA]}
 * @param ranks of the world, in the order of the group
 * @param numbers of the group, by the rank of the world with which messages are exchanged
 */
record Circle(String name, List<Integer> ranks, Map<Integer, Integer> numbers) {
  /** Of which a group's messages have one each. */
  enum Purpose {
    HEADER,
    DATA,
    MESSAGE_HEADER,
    MESSAGE_DATA
  }

  /** Below are those of {@link Control}. */
  private static final int FIRST_TAG = 16;

  /** What every MPI allows at least. */
  static final int MAX_NUMBER = (32767 - FIRST_TAG) / Purpose.values().length - 1;

  IntUnaryOperator tag(Purpose purpose) {
    return peer -> FIRST_TAG + numbers.get(peer) * Purpose.values().length + purpose.ordinal();
  }

  /** Stands for name and ranks. */
  long identity() {
    return Header.groupOf(name, ranks);
  }

  /** As in {@code along [DATA] (ranks [0, 2])}. */
  String title() {
    return name + " (ranks " + ranks + ")";
  }

  String collectiveTitle(long number) {
    return "number " + number + " " + title();
  }

  String passageTitle(int from, int to, long number) {
    return "number " + number + " from rank " + ranks.get(from) + " to rank " + ranks.get(to) + " " + title();
  }
}
