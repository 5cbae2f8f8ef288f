/** The trainer as a service: prepare a run from a configuration, run steps, evaluate. */
@Export
@Version("0.28.0")
package io.hirundo.train;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
