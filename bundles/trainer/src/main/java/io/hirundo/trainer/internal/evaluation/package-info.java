/** Forward passes without training: validation loss, and evaluation with one block in memory at a time. */
package io.hirundo.trainer.internal.evaluation;
