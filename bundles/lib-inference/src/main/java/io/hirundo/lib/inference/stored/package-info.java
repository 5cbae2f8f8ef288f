/** Stored models, opened for forward passes. */
@Export
@Version("0.1.0")
package io.hirundo.lib.inference.stored;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
