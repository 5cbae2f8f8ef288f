/**
 * Binds plain values (maps, lists, text, numbers and booleans from JSON or YAML) to configuration records, and converts records back. The
 * record classes define the schema. Every error names the path in the document.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.configuration.binding;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
