/**
 * Kernels of a training step, one interface per family, forward and backward together. Every device implements all of them but
 * those of {@link io.hirundo.kernel.KernelFamilies#optional}. Those with parameters of their own have packages:
 * {@code attention}, {@code optimizer} and {@code scaled} (FP8). The scalar reference in {@code device-cpu} defines what each computes.
 */
@Export
@Version("0.28.0")
package io.hirundo.kernel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
