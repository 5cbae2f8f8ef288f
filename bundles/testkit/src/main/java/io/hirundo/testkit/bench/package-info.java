/**
 * A clause of a contract as a test, the device and the memory ledger that it runs with, and values on that device.
 * Contracts of all kinds build on it; a plugin's test names {@link Bench} and {@link OnDevice}.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.bench;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
