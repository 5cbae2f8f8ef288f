/** The commands that train, plan, ask models, and show configurations and strategies. */
package io.hirundo.trainer.internal.command;
