/** The sections of a configuration: records that state settings, their defaults and bounds, from which the JSON schema and the reference are made. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.section;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
