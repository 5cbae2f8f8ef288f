/**
 * Shared code of fabrics, for those who write one: argument checks, matching of collectives, and ordered communication threads.
 * Users of a fabric do not need it.
 */
@Export
@Version("0.3.0")
package io.hirundo.lib.fabric;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
