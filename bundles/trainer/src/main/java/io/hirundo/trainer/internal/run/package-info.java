/** A run: the model of one rank and its step loop, data, validation, checkpoints and the run directory. */
package io.hirundo.trainer.internal.run;
