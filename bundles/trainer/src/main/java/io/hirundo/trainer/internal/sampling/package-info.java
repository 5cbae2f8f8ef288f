/** Text generation: sampling of tokens from logits and detokenization. Depends on no model, device or run. */
package io.hirundo.trainer.internal.sampling;
