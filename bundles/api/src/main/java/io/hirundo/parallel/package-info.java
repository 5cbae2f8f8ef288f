/**
 * Strategies for the tensor, context and data axes, and the local layers and matrices that they combine. The pipeline axis uses {@code
 * io.hirundo.schedule}.
 */
@Export
@Version("0.28.0")
package io.hirundo.parallel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
