/**
 * Vector API loops that several kernel families share: conversions, elementwise arithmetic, exponentials, sums of rows.
 *
 * <p>Conventions of all fast paths: they address native memory by 64-bit numbers through one segment that spans it, keep their
 * accumulators in locals, and divide their work by extents of the problem alone, never by the number of workers. None uses
 * {@code reduceLanes} on floating lanes: its order of summation is unspecified and changes when a method gets compiled.
 */
package io.hirundo.devicecpu.internal.vector;
