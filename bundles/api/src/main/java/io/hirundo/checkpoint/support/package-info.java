/**
 * What several formats of models need: the Llama as it is published, its names, sizes and what it computes, and stored floating
 * types. For those who write a {@link io.hirundo.checkpoint.ModelFormat}. And what stores of copies have in common, for those who write a
 * {@link io.hirundo.checkpoint.CheckpointStore}.
 */
@Export
@Version("0.10.0")
package io.hirundo.checkpoint.support;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
