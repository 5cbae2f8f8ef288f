/** A rank's part in the pipeline: which blocks it has, what it does in which order, and the messages that follow from that. */
package io.hirundo.trainer.internal.pipeline;
