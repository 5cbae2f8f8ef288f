/** Batches: from the samples of a data source to a microbatch on the device. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.data;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
