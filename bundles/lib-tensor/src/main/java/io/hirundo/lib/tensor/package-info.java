/** Slices of tensors and what two of them have in common; floating dtypes of stored weights, and their conversion to dtypes in memory. */
@Export
@Version("0.1.0")
package io.hirundo.lib.tensor;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
