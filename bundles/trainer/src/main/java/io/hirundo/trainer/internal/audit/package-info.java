/**
 * The always-on audit: in each step a random tile of a random matrix product, and a random chunk of a random collective, are computed
 * once more in double precision and compared. {@code AuditChooser} draws, the same on every rank; {@code RankAudit} copies operands and
 * results on the rank's thread while the step goes on as ever; {@code AuditWorker} compares on a thread of its own; {@code Auditor}
 * collects the findings of all ranks between two steps.
 */
package io.hirundo.trainer.internal.audit;
