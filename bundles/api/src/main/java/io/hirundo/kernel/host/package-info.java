/**
 * What a library can do for a device whose memory is this process's own: multiply matrices at given addresses. A device asks for
 * tiles; how a product is cut into tiles, and which thread computes one, stays with the device.
 */
@Export
@Version("0.27.0")
package io.hirundo.kernel.host;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
