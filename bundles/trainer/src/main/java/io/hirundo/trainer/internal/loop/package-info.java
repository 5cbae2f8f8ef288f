/** Runs a training from its first to its last step: steps, step boundaries, validation, samples and saves. */
package io.hirundo.trainer.internal.loop;
