/** The strategies that a run has chosen, as one immutable value, and precisions that change one property of another. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.strategy;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
