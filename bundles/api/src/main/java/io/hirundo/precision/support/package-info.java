/** Shared code of precision strategies, for those who write one. */
@Export
@Version("0.10.0")
package io.hirundo.precision.support;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
