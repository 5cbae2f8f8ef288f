/**
 * Clauses of {@link io.hirundo.testkit.KernelContract}, and a device that counts memory and computes nothing.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.kernel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
