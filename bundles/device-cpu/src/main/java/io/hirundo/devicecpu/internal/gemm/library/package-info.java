/**
 * GEMMs by a library that a bundle offers. {@code GemmChoice} decides once for a device, {@code LibraryGemm} multiplies, and
 * {@code LibraryTiles} cuts a result into the tiles that {@code PreparedGemms} has from the library. {@code LibraryScaledGemm} and
 * {@code LibraryScaledTiles} do the same for FP8 matrices.
 */
package io.hirundo.devicecpu.internal.gemm.library;
