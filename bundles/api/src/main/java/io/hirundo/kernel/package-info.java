/**
 * Kernels of a training step, one interface per family, forward and backward together. Every device implements all of them;
 * biases, soft caps and the 8-bit families are optional. The scalar reference in {@code device-cpu} defines what each computes.
 */
@Export
@Version("0.25.0")
package io.hirundo.kernel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
