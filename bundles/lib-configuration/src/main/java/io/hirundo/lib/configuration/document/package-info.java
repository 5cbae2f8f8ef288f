/** Reads configuration files in YAML or JSON into plain values, and reports syntax errors with their position. */
@Export
@Version("0.1.0")
package io.hirundo.lib.configuration.document;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
