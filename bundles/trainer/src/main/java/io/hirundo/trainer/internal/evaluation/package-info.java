/** Forward passes without training: validation loss, logits, and a pass with one block in memory at a time. */
package io.hirundo.trainer.internal.evaluation;
