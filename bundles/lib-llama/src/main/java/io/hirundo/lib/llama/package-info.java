/**
 * Settings, tensor names and reference of published Llama models, for those who write a {@link io.hirundo.checkpoint.ModelFormat}.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.llama;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
