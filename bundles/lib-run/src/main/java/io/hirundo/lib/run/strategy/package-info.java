/** Creates the strategies that a configuration chose, and holds their bundles as long as a run uses them. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.strategy;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
