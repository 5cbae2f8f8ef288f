/** Tensors in memory that a device accounts for, and the checks of kernel operands that all devices share. */
@Export
@Version("0.1.0")
package io.hirundo.lib.tensor.device;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
