/**
 * Kernels that bundles bring. {@link io.hirundo.trainer.internal.kernel.KernelChoice} takes the best provider of each family that the device
 * lacks, before a device is opened; the completed device opens them when a layer, optimizer or precision looks them up.
 */
package io.hirundo.trainer.internal.kernel;
