package io.hirundo.testkit.format;

/** Contract tests for a {@link io.hirundo.checkpoint.ModelFormat}. Clauses about writing pass for a format that says that it only reads. */
public interface ModelFormatContract extends ModelReadClauses, ModelWriteClauses {}
