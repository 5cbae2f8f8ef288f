/**
 * Kernels of FP8 matrices with scales: quantizing by block, tile or whole matrix, products of codes, and pieces that several ranks have.
 */
@Export
@Version("0.27.0")
package io.hirundo.kernel.scaled;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
