/** How strategies are registered, named, configured and looked up. */
@Export
@Version("0.28.0")
package io.hirundo.strategy;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
