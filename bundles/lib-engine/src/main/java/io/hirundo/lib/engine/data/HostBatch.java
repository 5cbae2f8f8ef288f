package io.hirundo.lib.engine.data;

import io.hirundo.data.DocumentRules;
import java.util.List;

/**
 * Samples on the host: a rank's samples of a step, microbatch after microbatch, or some of them.
 *
 * @param rows token rows, one token longer than a sequence
 * @param documents how document boundaries in a row are treated
 */
public record HostBatch(List<int[]> rows, DocumentRules documents) {
    public HostBatch {
        rows = List.copyOf(rows);
    }

    /** Rows with one document each. */
    public HostBatch(List<int[]> rows) {
        this(rows, DocumentRules.NONE);
    }

    public HostBatch part(int first, int count) {
        return new HostBatch(rows.subList(first, first + count), documents);
    }

    /** Number of labels that count in the loss. */
    public long counted() {
        return rows.stream()
                .mapToLong(row -> RowDocuments.counted(row, documents))
                .sum();
    }
}
