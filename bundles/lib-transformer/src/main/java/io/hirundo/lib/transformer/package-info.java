/** Layers of the API that compute on a rank's own tokens and channels, and code that implementations of layers share. */
@Export
@Version("0.4.0")
package io.hirundo.lib.transformer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
