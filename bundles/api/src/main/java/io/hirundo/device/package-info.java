/**
 * Compute devices: opening them, their accounted memory, their queues and host transfers. The kernels are in {@code io.hirundo.kernel}.
 */
@Export
@Version("0.10.0")
package io.hirundo.device;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
