/** The commands that train, and that convert the checkpoints of a run. */
package io.hirundo.trainer.internal.command;
