/**
 * The clauses of {@code DeviceContract} on GEMMs, kernel times, and capture and replay; and attention and GEMMs of FP8 matrices at odd sizes,
 * for devices that have several implementations of them.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.device;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
