/** The strategy {@code column-row}: its options, what it rejects, and which layers and which residual stream it chooses. */
package io.hirundo.paralleltp.internal.columnrow;
