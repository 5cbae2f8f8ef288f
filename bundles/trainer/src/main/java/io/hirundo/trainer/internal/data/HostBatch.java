package io.hirundo.trainer.internal.data;

import io.hirundo.data.DocumentRules;
import java.util.List;

/**
 * Samples on the host: one rank's of a step, microbatch after microbatch, or some of them.
 *
 * @param rows token rows, one longer than a sequence
 * @param documents what several documents in a row mean
 */
public record HostBatch(List<int[]> rows, DocumentRules documents) {
  public HostBatch {
    rows = List.copyOf(rows);
  }

  /** Of rows that are one document each. */
  public HostBatch(List<int[]> rows) {
    this(rows, DocumentRules.NONE);
  }

  public HostBatch part(int first, int count) {
    return new HostBatch(rows.subList(first, first + count), documents);
  }

  /** Labels that count. */
  public long counted() {
    return rows.stream().mapToLong(row -> RowDocuments.counted(row, documents)).sum();
  }
}
