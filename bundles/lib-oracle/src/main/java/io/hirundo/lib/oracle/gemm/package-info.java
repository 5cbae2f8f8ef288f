/**
 * Checks of GEMMs on a device against sums in double precision, tile by tile, on the operands that were multiplied, and what quantizing
 * them changed.
 */
@Export
@Version("0.2.0")
package io.hirundo.lib.oracle.gemm;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
