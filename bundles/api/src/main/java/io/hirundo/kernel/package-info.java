/**
 * The kernels of a Llama training step, one interface per family, forward and backward side by side. Every device
 * implements all of them but the 8-bit ones; the scalar reference of {@code device-cpu} states what each computes.
 */
@Export
@Version("0.11.0")
package io.hirundo.kernel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
