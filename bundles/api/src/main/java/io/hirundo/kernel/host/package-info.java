/**
 * Devices whose memory is this process's own. A library multiplies matrices at given addresses: a device asks for tiles; how a product is
 * cut into tiles, and which thread computes one, stays with the device. Kernels that bundles bring read and write tensors, and share the
 * device's threads.
 */
@Export
@Version("0.28.0")
package io.hirundo.kernel.host;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
