package io.hirundo.gpusuite.internal.kernels;

import java.util.ArrayList;
import java.util.List;

/** All families, their types and some sizes: odd ones, so that every loop has a last turn that is not full. */
public final class KernelCases {
  /** Tolerances of sums in FP32, and in FP64. */
  public static final double FP32 = 2e-5;

  static final double FP64 = 1e-12;

  /** Rows and columns of the operands. */
  record Size(int rows, int columns) {
    @Override
    public String toString() {
      return rows + "x" + columns;
    }
  }

  private KernelCases() {}

  /** Sizes that a scalar reference, and an emulated GPU, do in no time: odd rows, and some that are whole multiples of 16 bytes. */
  private static final List<Size> SMALL = List.of(new Size(3, 7), new Size(9, 333), new Size(137, 72));

  public static List<KernelCase> small() {
    return of(SMALL);
  }

  /** Those, 8-bit matrices that a library takes, and rows as long as models have them. */
  public static List<KernelCase> forGpu() {
    var sizes = new ArrayList<>(SMALL);
    sizes.addAll(List.of(new Size(264, 512), new Size(257, 4096)));
    var cases = new ArrayList<KernelCase>();
    TiledAttentionCases.addLarge(cases);
    cases.addAll(of(sizes));
    return cases;
  }

  /** GEMMs alone, of sizes that a library has algorithms for too. */
  public static List<KernelCase> products() {
    var cases = new ArrayList<KernelCase>();
    MatrixCases.addTiles(cases);
    MatrixCases.addManyTiles(cases);
    for (Size size : List.of(new Size(9, 333), new Size(264, 512))) {
      MatrixCases.addProducts(cases, size);
    }
    return cases;
  }

  /** Of attention with tensor cores alone. */
  public static List<KernelCase> attention() {
    var cases = new ArrayList<KernelCase>();
    TiledAttentionCases.add(cases);
    return cases;
  }

  private static List<KernelCase> of(List<Size> sizes) {
    var cases = new ArrayList<KernelCase>();
    // First, because what does not fit is cut at the end.
    AttentionCases.add(cases);
    TiledAttentionCases.add(cases);
    MatrixCases.addTiles(cases);
    for (Size size : sizes) {
      RowCases.add(cases, size);
      ElementCases.add(cases, size);
      OptimizerCases.add(cases, size);
      LossCases.add(cases, size);
      MatrixCases.add(cases, size);
    }
    return cases;
  }
}
