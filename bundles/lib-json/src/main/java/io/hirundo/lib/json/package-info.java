/** Reading of JSON that somebody else wrote: streamed, bounded, each error with the path of its field. */
@Export
@Version("0.1.0")
package io.hirundo.lib.json;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
