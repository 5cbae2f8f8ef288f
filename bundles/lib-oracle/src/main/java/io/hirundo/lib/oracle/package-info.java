/**
 * Checks of GEMMs against sums in double precision, on the operands that were multiplied: whole GEMMs tile by tile, and
 * single tiles element by element. Checks of what ranks have combined.
 */
@Export
@Version("0.2.0")
package io.hirundo.lib.oracle;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
