/**
 * For those who write contracts: runs them against implementations that are broken on purpose. Needs the JUnit Platform
 * Launcher.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.mutant;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
