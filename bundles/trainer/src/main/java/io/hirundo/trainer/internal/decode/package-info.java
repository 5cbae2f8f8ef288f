/**
 * Incremental forward passes for text generation: tokens go in a few at a time, attention reads the keys and values of earlier tokens
 * from a cache, and logits of the next token come out.
 */
package io.hirundo.trainer.internal.decode;
