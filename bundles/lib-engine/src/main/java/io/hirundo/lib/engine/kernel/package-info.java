/**
 * Kernels that bundles bring. {@link io.hirundo.lib.engine.kernel.KernelChoice} takes the best provider of each family that the device
 * lacks, before a device is opened; the completed device opens them when a layer, optimizer or precision looks them up.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.kernel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
