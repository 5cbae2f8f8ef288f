/** What long work prints on a terminal. */
@Export
@Version("0.1.0")
package io.hirundo.lib.terminal;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
