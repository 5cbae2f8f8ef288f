/** Closing what was opened: all of it, whatever fails. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.lifecycle;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
