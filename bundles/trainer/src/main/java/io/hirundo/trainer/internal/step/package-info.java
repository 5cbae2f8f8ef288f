/** One training step of a rank: pipeline tasks, gradient norm, clipping, optimizer update, and what the step reports. */
package io.hirundo.trainer.internal.step;
