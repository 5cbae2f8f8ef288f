/** Strategies for the tensor, context and data axes. The pipeline axis uses {@code io.hirundo.schedule}. */
@Export
@Version("0.20.0")
package io.hirundo.parallel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
