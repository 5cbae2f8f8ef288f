/**
 * Optimizer state in another form than the optimizer keeps: which tensors of a checkpoint it converts, and the conversion of tensors on a device through
 * host memory.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.conversion;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
