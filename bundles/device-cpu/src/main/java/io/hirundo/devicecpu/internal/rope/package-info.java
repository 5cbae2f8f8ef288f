/** Rotary position embeddings, with the split of a fused query-key-value matrix into heads and back. */
package io.hirundo.devicecpu.internal.rope;
