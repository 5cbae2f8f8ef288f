/**
 * Errors of elements and tiles, how results round, and checks of what ranks have combined. The package {@code gemm} checks whole GEMMs
 * with them.
 */
@Export
@Version("0.2.0")
package io.hirundo.lib.oracle;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
