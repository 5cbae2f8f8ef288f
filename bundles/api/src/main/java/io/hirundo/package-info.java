/** Exceptions whose messages name the remedy, and the exit codes of the process. */
@Export
@Version("0.28.0")
package io.hirundo;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
