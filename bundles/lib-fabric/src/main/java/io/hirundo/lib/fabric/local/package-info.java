/**
 * A fabric whose ranks are threads of one process: {@code comm-local} offers it to runs, and tests connect ranks with it. {@link
 * io.hirundo.lib.fabric.local.LocalFabric} gathers the ranks of a world, groups announce their collectives, and each rank's lane moves
 * what the rank needs, while the operands of all are there.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.fabric.local;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
