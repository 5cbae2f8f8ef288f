/**
 * The kernels of a Llama training step, one interface per family, forward and backward side by side. Every device
 * implements all of them; the scalar reference of {@code device-cpu} states what each computes.
 */
@Export
@Version("0.9.0")
package io.hirundo.kernel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
