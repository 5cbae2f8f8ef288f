/**
 * Decides what each rank holds, from the configuration alone: pipeline stages, tokens of a context rank, whether mesh,
 * model and batches fit together. Opens no device.
 */
package io.hirundo.trainer.internal.layout;
