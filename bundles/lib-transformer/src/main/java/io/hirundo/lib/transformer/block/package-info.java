/**
 * Blocks of decoders, for model families: residual stream, attention half, MLP half, embedding and head. A family declares the
 * layers with {@link io.hirundo.lib.transformer.block.Decoder}, which builds blocks of those that the trainer makes. Data flows
 * through layers, which know device, precision and collectives; nothing here does.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.transformer.block;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
