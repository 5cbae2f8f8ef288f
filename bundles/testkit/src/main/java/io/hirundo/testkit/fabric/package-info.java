/**
 * The clauses of {@code FabricContract}, with ranks that are threads, slow devices and stuck queues.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.fabric;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
