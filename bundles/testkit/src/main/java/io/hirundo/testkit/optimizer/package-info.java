/**
 * Clauses of {@link io.hirundo.testkit.OptimizerContract}, and the parameters that they update.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.optimizer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
