/** Strategies that do nothing, for tests of what chooses and configures them. */
@Export
@Version("0.1.0")
package io.hirundo.testkit.strategy;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
