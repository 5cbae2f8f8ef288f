/**
 * What the contracts of checkpoint strategies and stores need: synthetic states and checkpoints, and access to stored bytes, which
 * clauses damage.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.checkpoint;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
