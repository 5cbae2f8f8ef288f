/** The configuration of a run as one object, how it is bound and checked, and how two differ. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.config;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
