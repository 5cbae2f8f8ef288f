/** Starting of plugins, bundles of somebody else: within a limit of time, and with components that can serve; digests of bundles. */
@Export
@Version("0.1.0")
package io.hirundo.lib.plugin;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
