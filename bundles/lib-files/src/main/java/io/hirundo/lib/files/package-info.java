/** Atomic writes, deletion and temporary folders, durable and safe against symbolic links. */
@Export
@Version("0.1.0")
package io.hirundo.lib.files;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
