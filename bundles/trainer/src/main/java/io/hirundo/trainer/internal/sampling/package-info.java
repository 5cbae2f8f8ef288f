/** Sampling of text: logits become tokens, tokens become text. Knows no model, no device and no run. */
package io.hirundo.trainer.internal.sampling;
