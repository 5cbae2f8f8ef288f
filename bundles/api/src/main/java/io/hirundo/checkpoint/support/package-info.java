/**
 * Shared code for those who write a {@link io.hirundo.checkpoint.ModelFormat}: configuration, tensor names and reference of the
 * published Llama, and stored floating dtypes. Also shared code of checkpoint stores, for those who write a {@link
 * io.hirundo.checkpoint.CheckpointStore}.
 */
@Export
@Version("0.10.0")
package io.hirundo.checkpoint.support;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
