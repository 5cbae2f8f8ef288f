/** Events of a run, for monitors. */
@Export
@Version("0.27.0")
package io.hirundo.event;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
