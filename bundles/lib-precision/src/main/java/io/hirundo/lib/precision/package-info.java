/** Shared code of precision strategies, for those who write one: GEMMs of quantized operands, packed codes, quantization error. */
@Export
@Version("0.1.0")
package io.hirundo.lib.precision;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
