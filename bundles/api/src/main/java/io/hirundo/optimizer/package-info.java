/**
 * Optimizers and learning-rate schedules.
 */
@Export
@Version("0.28.0")
package io.hirundo.optimizer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
