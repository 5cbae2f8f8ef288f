/**
 * Attention in BF16 whose GEMMs a library multiplies. {@code LibraryAttention} decides by type and size, {@code ForwardTask} and
 * {@code BackwardTask} compute, {@code BlockGemm} has the GEMMs for a block of keys from the library, and {@code BlockSoftmax} what is
 * between them, by the loops of {@code ScoreLoops}. Softmax stays in FP32.
 */
package io.hirundo.devicecpu.internal.attention.library;
