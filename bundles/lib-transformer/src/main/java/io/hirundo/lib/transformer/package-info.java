/** Shared code of layer implementations. */
@Export
@Version("0.3.0")
package io.hirundo.lib.transformer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
