/**
 * Checks the GEMMs of a precision strategy while they run: {@link CheckedMath} wraps the strategy's math in a layer and compares each
 * result with sums in double precision (lib-oracle).
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.check;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
