package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.gpusuite.internal.kernels.KernelCases.Size;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** GEMMs and FP8 matrices: bitwise comparison of the quantizers, and GEMMs of small integers, whose sums are exact. */
final class MatrixCases {
    /** The scale block layouts of this device. */
    private static final List<ScaleBlock> BLOCKS = List.of(ScaleBlock.ROW, ScaleBlock.SQUARE);

    private MatrixCases() {}

    static void addProducts(List<KernelCase> cases, Size size) {
        for (DType a : List.of(DType.FP32, DType.BF16)) {
            for (DType b : List.of(DType.FP32, DType.BF16)) {
                for (DType c : List.of(DType.FP32, DType.BF16)) {
                    products(cases, a, b, c, size.rows(), size.rows() + 62, size.columns());
                }
            }
        }
        products(cases, DType.FP64, DType.FP64, DType.FP64, size.rows(), size.rows() + 62, size.columns());
        scaledProduct(cases, size.rows(), size.rows() + 136, size.columns());
    }

    /** Tensor-core GEMMs of several tiles and pipeline stages, with incomplete last ones. */
    static void addTiles(List<KernelCase> cases) {
        for (DType c : List.of(DType.FP32, DType.BF16)) {
            products(cases, DType.BF16, DType.BF16, c, 136, 264, 328);
        }
        scaledProduct(cases, 136, 200, 784);
    }

    /** GEMMs with several tiles per thread block: 17 x 8 and 17 x 16 tiles for 132 multiprocessors. */
    static void addManyTiles(List<KernelCase> cases) {
        int m = 2176;
        int n = 2048;
        int k = 72;
        cases.add(new KernelCase("gemm of many tiles " + m + "x" + n + "x" + k, KernelCases.FP32, (trial, kernels) -> {
            Tensor c = trial.random(DType.FP32, 5, m, n);
            kernels.gemm()
                    .multiplyNT(
                            trial.queue(),
                            trial.random(DType.BF16, 1, m, k),
                            trial.random(DType.BF16, 2, n, k),
                            c,
                            true);
            return List.of(c);
        }));
        scaledProduct(cases, List.of(ScaleBlock.SQUARE), List.of(DType.FP32), m, n, 144);
    }

    /** BF16 GEMMs of 17 x 8 tiles, the last ones incomplete, for 132 multiprocessors: blocks with two tiles use each stage of their ring again. */
    static void addManyBf16Tiles(List<KernelCase> cases) {
        int m = 2056;
        int n = 1800;
        int k = 136;
        cases.add(new KernelCase(
                "gemm of many BF16 tiles NT " + m + "x" + n + "x" + k, KernelCases.FP32, (trial, kernels) -> {
                    Tensor c = trial.random(DType.FP32, 5, m, n);
                    kernels.gemm()
                            .multiplyNT(
                                    trial.queue(),
                                    trial.random(DType.BF16, 1, m, k),
                                    trial.random(DType.BF16, 2, n, k),
                                    c,
                                    true);
                    return List.of(c);
                }));
        cases.add(new KernelCase(
                "gemm of many BF16 tiles NN " + m + "x" + n + "x" + k, KernelCases.FP32, (trial, kernels) -> {
                    Tensor c = trial.empty(DType.BF16, m, n);
                    kernels.gemm()
                            .multiplyNN(
                                    trial.queue(),
                                    trial.random(DType.BF16, 1, m, k),
                                    trial.random(DType.BF16, 3, k, n),
                                    c,
                                    false);
                    return List.of(c);
                }));
        cases.add(new KernelCase(
                "gemm of many BF16 tiles TN " + m + "x" + n + "x" + k, KernelCases.FP32, (trial, kernels) -> {
                    Tensor c = trial.random(DType.FP32, 7, m, n);
                    kernels.gemm()
                            .multiplyTN(
                                    trial.queue(),
                                    trial.random(DType.BF16, 4, k, m),
                                    trial.random(DType.BF16, 3, k, n),
                                    c,
                                    true);
                    return List.of(c);
                }));
    }

    static void add(List<KernelCase> cases, Size size) {
        addProducts(cases, size);
        for (DType x : List.of(DType.FP32, DType.BF16)) {
            for (DType codes : List.of(DType.FP8_E4M3, DType.FP8_E5M2)) {
                for (ScaleRule rule : ScaleRule.values()) {
                    quantize(cases, x, codes, rule, size);
                }
            }
        }
        for (ScaleRule rule : ScaleRule.values()) {
            pieces(cases, rule == ScaleRule.EXACT ? DType.FP8_E5M2 : DType.FP8_E4M3, rule, size);
        }
    }

    private static void products(List<KernelCase> cases, DType a, DType b, DType c, int m, int n, int k) {
        double tolerance = c == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
        cases.add(new KernelCase(
                "gemm " + a + " " + b + " to " + c + " " + m + "x" + n + "x" + k, tolerance, (trial, kernels) -> {
                    var results = new ArrayList<Tensor>();
                    for (boolean accumulate : new boolean[] {false, true}) {
                        Tensor nt = trial.random(c, 5, m, n);
                        Tensor nn = trial.random(c, 6, m, n);
                        Tensor tn = trial.random(c, 7, m, n);
                        kernels.gemm()
                                .multiplyNT(
                                        trial.queue(),
                                        trial.random(a, 1, m, k),
                                        trial.random(b, 2, n, k),
                                        nt,
                                        accumulate);
                        kernels.gemm()
                                .multiplyNN(
                                        trial.queue(),
                                        trial.random(a, 1, m, k),
                                        trial.random(b, 3, k, n),
                                        nn,
                                        accumulate);
                        kernels.gemm()
                                .multiplyTN(
                                        trial.queue(),
                                        trial.random(a, 4, k, m),
                                        trial.random(b, 3, k, n),
                                        tn,
                                        accumulate);
                        results.addAll(List.of(nt, nn, tn));
                    }
                    return results;
                }));
    }

    /** Blocks of all magnitudes, some with zeros, infinities or NaN. */
    private static void quantize(List<KernelCase> cases, DType x, DType codes, ScaleRule rule, Size size) {
        int m = size.rows() + 126;
        int k = size.columns();
        cases.add(new KernelCase(
                "quantize " + x + " to " + codes + " " + rule + " " + m + "x" + k, 0, (trial, kernels) -> {
                    var random = new Random(1);
                    Tensor values = trial.tensor(x, i -> value(random.nextGaussian(), i / k, i % k), m, k);
                    var results = new ArrayList<Tensor>();
                    for (ScaleBlock block : BLOCKS) {
                        ScaledMatrix rows = matrix(trial, codes, block, m, k);
                        ScaledMatrix columns = matrix(trial, codes, block, k, m);
                        blockScaled(kernels, trial, values, rule, rows, columns);
                        ScaledMatrix bothRows = matrix(trial, codes, block, m, k);
                        ScaledMatrix bothColumns = matrix(trial, codes, block, k, m);
                        kernels.blockScaled()
                                .orElseThrow()
                                .quantizeBoth(trial.queue(), values, rule, bothRows, bothColumns);
                        Tensor back = trial.empty(x, m, k);
                        kernels.blockScaled().orElseThrow().dequantize(trial.queue(), rows, back);
                        results.addAll(List.of(
                                rows.codesMK(),
                                rows.inverseScales(),
                                columns.codesMK(),
                                columns.inverseScales(),
                                back));
                        results.addAll(List.of(
                                bothRows.codesMK(),
                                bothRows.inverseScales(),
                                bothColumns.codesMK(),
                                bothColumns.inverseScales()));
                    }
                    return results;
                }));
    }

    private static void blockScaled(
            Kernels kernels,
            CaseTensors trial,
            Tensor values,
            ScaleRule rule,
            ScaledMatrix rows,
            ScaledMatrix columns) {
        var scaled = kernels.blockScaled().orElseThrow();
        scaled.quantize(trial.queue(), values, rule, rows);
        scaled.quantizeTransposed(trial.queue(), values, rule, columns);
    }

    /** The matrix above in three pieces whose borders cut row and square blocks. */
    private static void pieces(List<KernelCase> cases, DType codes, ScaleRule rule, Size size) {
        int m = size.rows() + 126;
        int k = size.columns();
        cases.add(new KernelCase("pieces to " + codes + " " + rule + " " + m + "x" + k, 0, (trial, kernels) -> {
            var random = new Random(1);
            Tensor values = trial.tensor(DType.FP32, i -> value(random.nextGaussian(), i / k, i % k), m, k);
            ScaledMatrix rows = matrix(trial, codes, ScaleBlock.SQUARE, m, k);
            ScaledMatrix columns = matrix(trial, codes, ScaleBlock.SQUARE, k, m);
            long[] scales = rows.inverseScales().shape().dims().stream()
                    .mapToLong(Long::longValue)
                    .toArray();
            Tensor amax = trial.tensor(DType.FP32, i -> 0, scales);
            var scaled = kernels.pieceScaled().orElseThrow();
            long all = (long) m * k;
            long[] bounds = {0, all / 3 + 5, all / 2, all};
            var runs = new ArrayList<MatrixRun>();
            for (int piece = 0; piece < bounds.length - 1; piece++) {
                Tensor part = values.view(bounds[piece], Shape.of(bounds[piece + 1] - bounds[piece]));
                runs.add(new MatrixRun(part, bounds[piece], m, k));
            }
            runs.forEach(run -> scaled.measure(trial.queue(), run, amax));
            for (MatrixRun run : runs) {
                Tensor ofRun =
                        rows.codesMK().view(run.firstElement(), run.values().shape());
                scaled.quantize(trial.queue(), run, amax, rule, ofRun);
            }
            scaled.complete(trial.queue(), amax, rule, rows, columns);
            return List.of(amax, rows.codesMK(), rows.inverseScales(), columns.codesMK(), columns.inverseScales());
        }));
    }

    private static double value(double normal, long row, long column) {
        if (row % 17 == 3 || column % 19 == 4) {
            return 0;
        }
        if (row == 5 && column % 11 == 3) {
            return column % 2 == 0 ? Double.NaN : Double.NEGATIVE_INFINITY;
        }
        return Math.scalb(normal, (int) (row * 7 + column / 64 * 5) % 60 - 50);
    }

    private static ScaledMatrix matrix(CaseTensors trial, DType codes, ScaleBlock block, int rows, int columns) {
        long[] scales = block.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return new ScaledMatrix(trial.empty(codes, rows, columns), trial.empty(DType.FP32, scales), block);
    }

    private static void scaledProduct(List<KernelCase> cases, int m, int n, int k) {
        scaledProduct(cases, BLOCKS, List.of(DType.FP32, DType.BF16), m, n, k);
    }

    private static void scaledProduct(
            List<KernelCase> cases, List<ScaleBlock> blocks, List<DType> results, int m, int n, int k) {
        for (ScaleBlock block : blocks) {
            for (DType c : results) {
                cases.add(new KernelCase(
                        "scaled product " + block + " to " + c + " " + m + "x" + n + "x" + k, 0, (trial, kernels) -> {
                            ScaledMatrix a = integers(trial, ScaleBlock.ROW, 3, m, k);
                            ScaledMatrix b = integers(trial, block, 5, n, k);
                            Tensor result = trial.empty(c, m, n);
                            Tensor sum = trial.tensor(c, i -> i % 7, m, n);
                            kernels.blockScaled().orElseThrow().multiplyNT(trial.queue(), a, b, result, false);
                            kernels.blockScaled().orElseThrow().multiplyNT(trial.queue(), a, b, sum, true);
                            return List.of(result, sum);
                        }));
            }
        }
    }

    /** Integers up to 4, with a different power of two as each scale. */
    private static ScaledMatrix integers(CaseTensors trial, ScaleBlock block, int step, int rows, int columns) {
        long[] scales = block.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return new ScaledMatrix(
                trial.tensor(DType.FP8_E4M3, i -> i * step % 9 - 4, rows, columns),
                trial.tensor(DType.FP32, i -> Math.scalb(1.0, (int) (i * step % 5) - 2), scales),
                block);
    }
}
