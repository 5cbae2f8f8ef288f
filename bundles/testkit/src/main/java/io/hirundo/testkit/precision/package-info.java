/**
 * The clauses of {@code PrecisionContract}: GEMMs of a linear layer, quantized collectives, and shards of a weight.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.precision;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
