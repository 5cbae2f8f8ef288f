package io.hirundo.gpusuite.internal.kernels;

import java.util.ArrayList;
import java.util.List;

/** All kernel families with their dtypes and some sizes. Odd sizes make the last iteration of every loop incomplete. */
public final class KernelCases {
    /** Tolerances of sums in FP32 and in FP64. */
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

    /** Sizes that a scalar reference and an emulated GPU compute quickly: odd rows, and some multiples of 16 bytes. */
    private static final List<Size> SMALL = List.of(new Size(3, 7), new Size(9, 333), new Size(137, 72));

    public static List<KernelCase> small() {
        return of(SMALL);
    }

    /** The small cases, FP8 matrices of sizes that cuBLASLt supports, and rows as long as in real models. */
    public static List<KernelCase> forGpu() {
        var sizes = new ArrayList<>(SMALL);
        sizes.addAll(List.of(new Size(264, 512), new Size(257, 4096)));
        var cases = new ArrayList<KernelCase>();
        TiledAttentionCases.addLarge(cases);
        cases.addAll(of(sizes));
        return cases;
    }

    /** GEMMs only, also of sizes that cuBLASLt supports. */
    public static List<KernelCase> gemms() {
        var cases = new ArrayList<KernelCase>();
        MatrixCases.addTiles(cases);
        MatrixCases.addManyTiles(cases);
        for (Size size : List.of(new Size(9, 333), new Size(264, 512))) {
            MatrixCases.addGemms(cases, size);
        }
        return cases;
    }

    /** What the variants of kernels compute: tensor-core attention, and BF16 GEMMs of sizes that the own tensor-core kernels support. */
    public static List<KernelCase> ofVariants() {
        List<KernelCase> cases = attention();
        MatrixCases.addTiles(cases);
        cases.removeIf(one -> one.name().startsWith("scaled"));
        return cases;
    }

    /**
     * The same, and first, because cases that do not fit into the time limit are cut at the end, cases in which blocks of a GPU with 132
     * multiprocessors compute several tiles each.
     */
    public static List<KernelCase> ofVariantsForGpu() {
        var cases = new ArrayList<KernelCase>();
        TiledAttentionCases.addManyQueryTiles(cases);
        MatrixCases.addManyBf16Tiles(cases);
        cases.addAll(ofVariants());
        return cases;
    }

    /** Tensor-core attention only. */
    public static List<KernelCase> attention() {
        var cases = new ArrayList<KernelCase>();
        TiledAttentionCases.add(cases);
        return cases;
    }

    private static List<KernelCase> of(List<Size> sizes) {
        var cases = new ArrayList<KernelCase>();
        // First, because cases that do not fit into the time limit are cut at the end.
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
