/** Drives a run from its first step to its last: steps, step boundaries, validation, samples, saves. */
package io.hirundo.trainer.internal.loop;
