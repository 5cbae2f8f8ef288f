package io.hirundo.gemmonednn.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.device.GemmComparison;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The device {@code cpu} with oneDNN keeps its contract, and a row of a result has the same bits in any piece and for any number of workers. */
@HirundoContract
class OneDnnDeviceTest implements DeviceContract {
    /** Ends of pieces: single rows among them, and sizes around those of tiles. */
    private static final int[][] SPLITS = {{}, {1}, {1, 2, 3, 7}, {16, 17}, {63, 64, 65}, {128, 512}, {513}};

    private static final int ROWS = 600;

    private static final int[] EXTENTS = {1, 17, 63, 65, 257};

    @TempDir
    static Path cache;

    /** Before all: an assumption that fails while JUnit resolves a parameter is an error. */
    @BeforeAll
    static void requireInstructions() {
        OneDnn library = OneDnnTest.library(cache);
        assumeTrue(
                library.obstacle(DType.FP32).isEmpty(),
                () -> library.obstacle(DType.FP32).orElse(""));
    }

    @Override
    public ComputeBackend backend() {
        return backend(2);
    }

    private static ComputeBackend backend(int workers) {
        return new CpuBackend(new CpuOptions(workers, CpuOptions.VECTOR, "onednn"), List.of(OneDnnTest.library(cache)));
    }

    /** Types of the operands and the result, N, K. */
    @ParameterizedTest
    @CsvSource({
        "FP32, FP32, 33, 1025",
        "FP32, FP32, 300, 64",
        "BF16, FP32, 257, 1408",
        "BF16, BF16, 64, 289",
        "BF16, BF16, 130, 1600",
        "BF16, BF16, 300, 704",
        "BF16, BF16, 1, 65"
    })
    void rowsAreTheSameInAnyPiece(DType type, DType resultType, int n, int k) {
        double[] whole = null;
        // The number of workers decides how large tiles are: they must change no bits.
        for (int workers : new int[] {1, 3, 16}) {
            try (Bench bench = Bench.open(backend(workers))) {
                Tensor a = bench.tensor(type, noise(1), ROWS, k);
                Tensor bT = bench.tensor(type, noise(2), n, k);
                Tensor b = bench.tensor(type, noise(3), k, n);
                for (int[] split : SPLITS) {
                    Tensor c = bench.tensor(resultType, noise(4), ROWS, n);
                    Tensor d = bench.tensor(resultType, noise(5), ROWS, n);
                    int first = 0;
                    for (int end : split) {
                        multiply(bench, a, bT, b, c, d, first, end - first);
                        first = end;
                    }
                    multiply(bench, a, bT, b, c, d, first, ROWS - first);
                    double[] found = concatenated(bench.read(c), bench.read(d));
                    if (whole == null) {
                        whole = found;
                    }
                    if (!Arrays.equals(whole, found)) {
                        assertArrayEquals(
                                whole,
                                found,
                                "pieces that end at " + Arrays.toString(split) + ", " + workers + " workers");
                    }
                }
            }
        }
    }

    /**
     * Where no dimension is a multiple of a register or tile, and rows and columns are single. GemmComparison allows errors of 1e-5 of a
     * result's norm, and of three times that in a row or column.
     */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FP32", "BF16"})
    void multipliesAtOddSizes(DType type) {
        OneDnn library = OneDnnTest.library(cache);
        assumeTrue(
                library.obstacle(type).isEmpty(), () -> library.obstacle(type).orElse(""));
        for (int m : EXTENTS) {
            try (Bench bench = Bench.open(backend(2))) {
                for (int n : EXTENTS) {
                    for (int k : EXTENTS) {
                        GemmComparison.run(bench, type, m, n, k, (m + n + k) % 4 == 3);
                    }
                }
            }
        }
    }

    /** The largest tiles whose sums are kept apart in FP32 until they are rounded. */
    @Test
    void largeTilesFitScratchMemory() {
        OneDnn library = OneDnnTest.library(cache);
        DType type = library.obstacle(DType.BF16).isEmpty() ? DType.BF16 : DType.FP32;
        int extent = 2048;
        try (Bench bench = Bench.open(backend(1))) {
            Tensor a = bench.tensor(type, i -> i % extent == i / extent ? 1 : 0, extent, extent);
            Tensor b = bench.tensor(type, i -> i % 100, extent, extent);
            Tensor c = bench.tensor(type, _ -> 0, extent, extent);
            GemmKernels gemm = bench.device().kernels().gemm();
            gemm.multiplyNN(bench.queue(), a, b, c, false);
            gemm.multiplyTN(bench.queue(), a, b, c, true);
            double[] found = bench.read(c);
            for (int i = 0; i < found.length; i++) {
                assertEquals(2.0 * (i % 100), found[i]);
            }
        }
    }

    private static void multiply(Bench bench, Tensor a, Tensor bT, Tensor b, Tensor c, Tensor d, int first, int count) {
        GemmKernels gemm = bench.device().kernels().gemm();
        gemm.multiplyNT(bench.queue(), a.rows(first, count), bT, c.rows(first, count), true);
        gemm.multiplyNN(bench.queue(), a.rows(first, count), b, d.rows(first, count), false);
    }

    private static double[] concatenated(double[] x, double[] y) {
        double[] both = Arrays.copyOf(x, x.length + y.length);
        System.arraycopy(y, 0, both, x.length, y.length);
        return both;
    }

    private static LongToDoubleFunction noise(long seed) {
        var random = new SplittableRandom(seed);
        return _ -> random.nextInt() * 0x1p-31;
    }
}
