/**
 * The clauses of {@code DeviceContract} on GEMMs, kernel times, and capture and replay.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.device;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
