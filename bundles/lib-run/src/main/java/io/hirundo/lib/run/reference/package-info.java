/** The configuration described for people and editors: the table of settings and the JSON schema. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.reference;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
