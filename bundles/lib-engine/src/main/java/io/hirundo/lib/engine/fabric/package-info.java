/** Wrappers of a fabric that observe collectives when they begin, to count or audit them, and the fake fabric of plans. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.fabric;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
