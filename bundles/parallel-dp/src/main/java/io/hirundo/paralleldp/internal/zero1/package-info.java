/**
 * The strategy {@code zero1}: buckets of whole weights and gradients, reduce-scattered and all-gathered, of which each
 * rank updates a slice.
 */
package io.hirundo.paralleldp.internal.zero1;
