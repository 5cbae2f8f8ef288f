/**
 * Layers as they run on a rank, each with forward and backward, and what a step passes them. They know no declaration: {@code
 * io.hirundo.model} declares layers and depends on this package, which depends on {@code io.hirundo.model.parameter}.
 */
@Export
@Version("0.28.0")
package io.hirundo.model.layer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
