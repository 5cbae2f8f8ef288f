/** How a linear layer's three GEMMs are computed: strategies such as {@code fp32} or {@code fp8-blockwise}. */
@Export
@Version("0.28.0")
package io.hirundo.precision;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
