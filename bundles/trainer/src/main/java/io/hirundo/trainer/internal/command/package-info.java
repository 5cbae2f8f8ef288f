/** Commands about configurations and strategies. */
package io.hirundo.trainer.internal.command;
