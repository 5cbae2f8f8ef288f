/**
 * Private to the bundle checkpoint-dcp. {@code session} opens a run's checkpoints and {@code command} looks after them from outside;
 * both use the packages below them, of which {@code format} and {@code disk} use none of the others.
 */
package io.hirundo.checkpointdcp.internal;
