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

    static void addGemms(List<KernelCase> cases, Size size) {
        for (DType a : List.of(DType.FP32, DType.BF16)) {
            for (DType b : List.of(DType.FP32, DType.BF16)) {
                for (DType c : List.of(DType.FP32, DType.BF16)) {
                    gemms(cases, a, b, c, size.rows(), size.rows() + 62, size.columns());
                }
            }
        }
        gemms(cases, DType.FP64, DType.FP64, DType.FP64, size.rows(), size.rows() + 62, size.columns());
        scaledGemm(cases, size.rows(), size.rows() + 136, size.columns());
    }

    /** Tensor-core GEMMs of several tiles and pipeline stages, with incomplete last ones. */
    static void addTiles(List<KernelCase> cases) {
        for (DType c : List.of(DType.FP32, DType.BF16)) {
            gemms(cases, DType.BF16, DType.BF16, c, 136, 264, 328);
        }
        scaledGemm(cases, 136, 200, 784);
    }

    /** GEMMs with several tiles per thread block: 17 x 8 and 17 x 16 tiles for 132 multiprocessors. */
    static void addManyTiles(List<KernelCase> cases) {
        int m = 2176;
        int n = 2048;
        int k = 72;
        cases.add(new KernelCase(
                "gemm of many tiles " + m + "x" + n + "x" + k, KernelCases.FP32, (tensors, kernels) -> {
                    Tensor c = tensors.random(DType.FP32, 5, m, n);
                    kernels.gemm()
                            .multiplyNT(
                                    tensors.queue(),
                                    tensors.random(DType.BF16, 1, m, k),
                                    tensors.random(DType.BF16, 2, n, k),
                                    c,
                                    true);
                    return List.of(c);
                }));
        scaledGemm(cases, List.of(ScaleBlock.SQUARE), List.of(DType.FP32), m, n, 144);
    }

    /** BF16 GEMMs of 17 x 8 tiles, the last ones incomplete, for 132 multiprocessors: blocks with two tiles use each stage of their ring again. */
    static void addManyBf16Tiles(List<KernelCase> cases) {
        int m = 2056;
        int n = 1800;
        int k = 136;
        cases.add(new KernelCase(
                "gemm of many BF16 tiles NT " + m + "x" + n + "x" + k, KernelCases.FP32, (tensors, kernels) -> {
                    Tensor c = tensors.random(DType.FP32, 5, m, n);
                    kernels.gemm()
                            .multiplyNT(
                                    tensors.queue(),
                                    tensors.random(DType.BF16, 1, m, k),
                                    tensors.random(DType.BF16, 2, n, k),
                                    c,
                                    true);
                    return List.of(c);
                }));
        cases.add(new KernelCase(
                "gemm of many BF16 tiles NN " + m + "x" + n + "x" + k, KernelCases.FP32, (tensors, kernels) -> {
                    Tensor c = tensors.empty(DType.BF16, m, n);
                    kernels.gemm()
                            .multiplyNN(
                                    tensors.queue(),
                                    tensors.random(DType.BF16, 1, m, k),
                                    tensors.random(DType.BF16, 3, k, n),
                                    c,
                                    false);
                    return List.of(c);
                }));
        cases.add(new KernelCase(
                "gemm of many BF16 tiles TN " + m + "x" + n + "x" + k, KernelCases.FP32, (tensors, kernels) -> {
                    Tensor c = tensors.random(DType.FP32, 7, m, n);
                    kernels.gemm()
                            .multiplyTN(
                                    tensors.queue(),
                                    tensors.random(DType.BF16, 4, k, m),
                                    tensors.random(DType.BF16, 3, k, n),
                                    c,
                                    true);
                    return List.of(c);
                }));
    }

    static void add(List<KernelCase> cases, Size size) {
        addGemms(cases, size);
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

    private static void gemms(List<KernelCase> cases, DType a, DType b, DType c, int m, int n, int k) {
        double tolerance = c == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
        cases.add(new KernelCase(
                "gemm " + a + " " + b + " to " + c + " " + m + "x" + n + "x" + k, tolerance, (tensors, kernels) -> {
                    var results = new ArrayList<Tensor>();
                    for (boolean accumulate : new boolean[] {false, true}) {
                        Tensor nt = tensors.random(c, 5, m, n);
                        Tensor nn = tensors.random(c, 6, m, n);
                        Tensor tn = tensors.random(c, 7, m, n);
                        kernels.gemm()
                                .multiplyNT(
                                        tensors.queue(),
                                        tensors.random(a, 1, m, k),
                                        tensors.random(b, 2, n, k),
                                        nt,
                                        accumulate);
                        kernels.gemm()
                                .multiplyNN(
                                        tensors.queue(),
                                        tensors.random(a, 1, m, k),
                                        tensors.random(b, 3, k, n),
                                        nn,
                                        accumulate);
                        kernels.gemm()
                                .multiplyTN(
                                        tensors.queue(),
                                        tensors.random(a, 4, k, m),
                                        tensors.random(b, 3, k, n),
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
                "quantize " + x + " to " + codes + " " + rule + " " + m + "x" + k, 0, (tensors, kernels) -> {
                    var random = new Random(1);
                    Tensor values = tensors.tensor(x, i -> value(random.nextGaussian(), i / k, i % k), m, k);
                    var results = new ArrayList<Tensor>();
                    for (ScaleBlock block : BLOCKS) {
                        ScaledMatrix rows = matrix(tensors, codes, block, m, k);
                        ScaledMatrix columns = matrix(tensors, codes, block, k, m);
                        blockScaled(kernels, tensors, values, rule, rows, columns);
                        ScaledMatrix bothRows = matrix(tensors, codes, block, m, k);
                        ScaledMatrix bothColumns = matrix(tensors, codes, block, k, m);
                        kernels.blockScaled()
                                .orElseThrow()
                                .quantizeBoth(tensors.queue(), values, rule, bothRows, bothColumns);
                        Tensor back = tensors.empty(x, m, k);
                        kernels.blockScaled().orElseThrow().dequantize(tensors.queue(), rows, back);
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
            CaseTensors tensors,
            Tensor values,
            ScaleRule rule,
            ScaledMatrix rows,
            ScaledMatrix columns) {
        var scaled = kernels.blockScaled().orElseThrow();
        scaled.quantize(tensors.queue(), values, rule, rows);
        scaled.quantizeTransposed(tensors.queue(), values, rule, columns);
    }

    /** The matrix above in three pieces whose borders cut row and square blocks. */
    private static void pieces(List<KernelCase> cases, DType codes, ScaleRule rule, Size size) {
        int m = size.rows() + 126;
        int k = size.columns();
        cases.add(new KernelCase("pieces to " + codes + " " + rule + " " + m + "x" + k, 0, (tensors, kernels) -> {
            var random = new Random(1);
            Tensor values = tensors.tensor(DType.FP32, i -> value(random.nextGaussian(), i / k, i % k), m, k);
            ScaledMatrix rows = matrix(tensors, codes, ScaleBlock.SQUARE, m, k);
            ScaledMatrix columns = matrix(tensors, codes, ScaleBlock.SQUARE, k, m);
            long[] scales = rows.inverseScales().shape().dims().stream()
                    .mapToLong(Long::longValue)
                    .toArray();
            Tensor amax = tensors.tensor(DType.FP32, i -> 0, scales);
            var scaled = kernels.pieceScaled().orElseThrow();
            long all = (long) m * k;
            long[] bounds = {0, all / 3 + 5, all / 2, all};
            var runs = new ArrayList<MatrixRun>();
            for (int piece = 0; piece < bounds.length - 1; piece++) {
                Tensor part = values.view(bounds[piece], Shape.of(bounds[piece + 1] - bounds[piece]));
                runs.add(new MatrixRun(part, bounds[piece], m, k));
            }
            runs.forEach(run -> scaled.measure(tensors.queue(), run, amax));
            for (MatrixRun run : runs) {
                Tensor ofRun =
                        rows.codesMK().view(run.firstElement(), run.values().shape());
                scaled.quantize(tensors.queue(), run, amax, rule, ofRun);
            }
            scaled.complete(tensors.queue(), amax, rule, rows, columns);
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

    private static ScaledMatrix matrix(CaseTensors tensors, DType codes, ScaleBlock block, int rows, int columns) {
        long[] scales = block.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return new ScaledMatrix(tensors.empty(codes, rows, columns), tensors.empty(DType.FP32, scales), block);
    }

    private static void scaledGemm(List<KernelCase> cases, int m, int n, int k) {
        scaledGemm(cases, BLOCKS, List.of(DType.FP32, DType.BF16), m, n, k);
    }

    private static void scaledGemm(
            List<KernelCase> cases, List<ScaleBlock> blocks, List<DType> results, int m, int n, int k) {
        for (ScaleBlock block : blocks) {
            for (DType c : results) {
                cases.add(new KernelCase(
                        "scaled product " + block + " to " + c + " " + m + "x" + n + "x" + k, 0, (tensors, kernels) -> {
                            ScaledMatrix a = integers(tensors, ScaleBlock.ROW, 3, m, k);
                            ScaledMatrix b = integers(tensors, block, 5, n, k);
                            Tensor result = tensors.empty(c, m, n);
                            Tensor sum = tensors.tensor(c, i -> i % 7, m, n);
                            kernels.blockScaled().orElseThrow().multiplyNT(tensors.queue(), a, b, result, false);
                            kernels.blockScaled().orElseThrow().multiplyNT(tensors.queue(), a, b, sum, true);
                            return List.of(result, sum);
                        }));
            }
        }
    }

    /** Integers up to 4, with a different power of two as each scale. */
    private static ScaledMatrix integers(CaseTensors tensors, ScaleBlock block, int step, int rows, int columns) {
        long[] scales = block.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return new ScaledMatrix(
                tensors.tensor(DType.FP8_E4M3, i -> i * step % 9 - 4, rows, columns),
                tensors.tensor(DType.FP32, i -> Math.scalb(1.0, (int) (i * step % 5) - 2), scales),
                block);
    }
}
