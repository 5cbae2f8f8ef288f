/** The mesh of ranks and its communication: axes, process groups, collectives. A group of one rank has the same contract. */
@Export
@Version("0.28.0")
package io.hirundo.mesh;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
