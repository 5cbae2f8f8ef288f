/** Batches: from the samples of a data source to a microbatch on the device. */
package io.hirundo.trainer.internal.data;
