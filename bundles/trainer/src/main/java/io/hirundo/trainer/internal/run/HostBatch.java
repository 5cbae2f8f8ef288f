package io.hirundo.trainer.internal.run;

import java.util.List;

/**
 * One rank's samples of a step on the host, microbatch after microbatch.
 *
 * @param rows token rows, one longer than a sequence
 */
record HostBatch(List<int[]> rows) {
  HostBatch {
    rows = List.copyOf(rows);
  }
}
