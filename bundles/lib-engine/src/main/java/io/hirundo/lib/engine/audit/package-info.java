/**
 * The always-on audit: each step recomputes a random tile of a random GEMM and a random chunk of a random collective in double precision
 * and compares. {@code AuditChooser} draws, the same on every rank. {@code RankAudit} copies operands and results on the rank's thread
 * while the step runs. {@code AuditWorker} compares on a background thread. What becomes of findings is decided by who runs the ranks.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.audit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
