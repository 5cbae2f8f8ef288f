package io.hirundo.trainer.internal.run;

import java.util.List;

/**
 * The samples of one step on the host: token rows of {@code sequenceTokens + 1}, in the order of the run.
 *
 * @param firstSample place of the first row in the order
 * @param rows one array a sample
 */
record HostBatch(long firstSample, List<int[]> rows) {
  HostBatch {
    rows = List.copyOf(rows);
  }

  /** Tokens that count for the loss; every label does. */
  long labels() {
    return rows.stream().mapToLong(row -> row.length - 1L).sum();
  }
}
