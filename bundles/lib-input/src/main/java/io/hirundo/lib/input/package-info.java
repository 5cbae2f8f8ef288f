/** Reading of files that somebody else wrote: regular files only, bounded in size, quoted briefly in error messages. */
@Export
@Version("0.1.0")
package io.hirundo.lib.input;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
