/** The data that a run reads, where it continues, and in which order. */
package io.hirundo.trainer.internal.data;
