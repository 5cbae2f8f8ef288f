/** Finds strategies by contract and name, and binds their options. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.strategy;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
