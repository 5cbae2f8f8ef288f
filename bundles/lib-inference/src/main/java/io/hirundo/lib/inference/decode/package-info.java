/**
 * Incremental forward passes for text generation: tokens go in a few at a time, attention reads the keys and values of earlier tokens
 * from a cache, and logits of the next token come out.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.inference.decode;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
