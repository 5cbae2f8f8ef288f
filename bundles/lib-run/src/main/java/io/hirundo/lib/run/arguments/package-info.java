/** Options of the command line that several commands share. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.arguments;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
