/** Starts plugins (third-party bundles) with a time limit, checks their components, and computes bundle digests. */
@Export
@Version("0.1.0")
package io.hirundo.lib.plugin;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
