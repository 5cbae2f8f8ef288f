/** Changes to the file system that are durable, complete or not at all, and do not follow symbolic links. */
@Export
@Version("0.1.0")
package io.hirundo.lib.files;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
