/** Values of all dtypes in host memory, and the tensors of the scalar device that are made of them. */
@Export
@Version("0.1.0")
package io.hirundo.testkit.scalar.value;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
