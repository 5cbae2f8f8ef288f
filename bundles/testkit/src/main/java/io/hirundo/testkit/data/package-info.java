/** Contract of what turns text into tokens. */
@Export
@Version("0.1.0")
package io.hirundo.testkit.data;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
