/** Output files: checked before a command begins its work, and opened without following symbolic links. */
@Export
@Version("0.1.0")
package io.hirundo.lib.output;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
