/** Checks of the places that a command is going to write to, before it begins its work. */
@Export
@Version("0.1.0")
package io.hirundo.lib.output;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
