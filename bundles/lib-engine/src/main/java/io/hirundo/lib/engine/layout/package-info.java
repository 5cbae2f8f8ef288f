/**
 * Decides what each rank holds, from the configuration alone: pipeline stages, tokens of a context rank, whether mesh,
 * model and batches fit together. Opens no device.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.layout;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
