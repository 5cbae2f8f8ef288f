/**
 * The kernels of a Llama step but the matrix products: of each family a scalar reference, which is its definition, and a
 * Vector API fast path for FP32.
 *
 * <p>Fast paths address native memory by 64-bit numbers through one segment that spans it, keep their accumulators in
 * locals, and divide their work by extents of the problem alone, never by the number of workers. None uses
 * {@code reduceLanes} on floating lanes: its order of summation is unspecified and changes when a method gets compiled.
 */
package io.hirundo.devicecpu.internal.kernel;
