/** Names and index of the checkpoint copies in a {@link io.hirundo.checkpoint.CheckpointStore}, for those who write one. */
@Export
@Version("0.1.0")
package io.hirundo.lib.store;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
