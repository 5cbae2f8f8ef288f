/** A dataset from its first token to its last, for measuring. */
package io.hirundo.dataloader.internal.sequential;
