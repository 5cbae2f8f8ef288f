/** Checks of matrix products against sums in double precision, on the operands that were multiplied. */
@Export
@Version("0.1.0")
package io.hirundo.lib.oracle;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
