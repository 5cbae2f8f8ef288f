/** Compute devices: opening them, accounted memory, queues and host transfers. Kernels are in {@code io.hirundo.kernel}. */
@Export
@Version("0.28.0")
package io.hirundo.device;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
