/** Helpers for layer implementations. */
@Export
@Version("0.1.0")
package io.hirundo.model.support;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
