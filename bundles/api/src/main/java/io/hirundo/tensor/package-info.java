/**
 * Typed memory on a device: data types, shapes and tensors. Contiguous, row-major, no lazy operations.
 */
@Export
@Version("0.28.0")
package io.hirundo.tensor;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
