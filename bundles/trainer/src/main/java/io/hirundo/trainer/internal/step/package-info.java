/** One training step of a rank: pipeline tasks, gradient norm, clipping, optimizer update and the step report. */
package io.hirundo.trainer.internal.step;
