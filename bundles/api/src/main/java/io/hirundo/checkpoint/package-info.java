/** Training state on storage, and models in exchange formats. */
@Export
@Version("0.28.0")
package io.hirundo.checkpoint;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
