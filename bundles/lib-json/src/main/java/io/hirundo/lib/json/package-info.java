/** Reads foreign JSON: streamed and bounded; each error names the path of its field. */
@Export
@Version("0.1.0")
package io.hirundo.lib.json;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
