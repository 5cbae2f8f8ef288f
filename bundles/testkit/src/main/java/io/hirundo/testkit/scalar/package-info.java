/**
 * A scalar device for clauses that need one: it fills new memory with NaN and rejects closed tensors.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.scalar;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
