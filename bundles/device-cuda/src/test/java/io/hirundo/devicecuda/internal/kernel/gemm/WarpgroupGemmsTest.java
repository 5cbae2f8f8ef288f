package io.hirundo.devicecuda.internal.kernel.gemm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hirundo.devicecuda.internal.driver.TensorMap.Extent;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.kernel.CudaKernels;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.Launch;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Warpgroup instructions as attention kernels use them, in a test kernel ({@code two_products.cu}): tiles of many matrices, padded with
 * zeros instead of the next matrix's rows, and a GEMM whose operand is in registers. The values are small integers, which BF16 represents
 * exactly.
 */
class WarpgroupGemmsTest {
    private static final int SEQUENCES = 2;
    private static final int HEADS = 3;

    /** More than one tile and less than two; and fewer keys than a tile. */
    private static final int ROWS = 70;

    private static final int KEYS = 50;
    private static final int CHANNELS = 64;
    private static final int THREADS = 160;
    private static final int LINE_BYTES = 128;

    private static double query(long i) {
        return i * 7 % 5 - 2;
    }

    private static double key(long i) {
        return i * 11 % 7 % 3 - 1;
    }

    /** [sequence, key, head, column]; arbitrary beyond the keys, where the other factor is zero. */
    private static double value(int sequence, int key, int head, int column) {
        return (sequence + 3 * key + 5 * head + 2 * column) % 7 - 3;
    }

    private static double[] expected(int columns) {
        var expected = new double[SEQUENCES * HEADS * ROWS * columns];
        for (int head = 0; head < SEQUENCES * HEADS; head++) {
            for (int row = 0; row < ROWS; row++) {
                for (int key = 0; key < KEYS; key++) {
                    double score = 0;
                    for (int c = 0; c < CHANNELS; c++) {
                        score += query(((long) head * ROWS + row) * CHANNELS + c)
                                * key(((long) head * KEYS + key) * CHANNELS + c);
                    }
                    for (int column = 0; column < columns; column++) {
                        expected[(head * ROWS + row) * columns + column] +=
                                score * value(head / HEADS, key, head % HEADS, column);
                    }
                }
            }
        }
        return expected;
    }

    private static void launch(Bench bench, String kernel, int keys, int columns, boolean byRows, Tensor result) {
        int heads = SEQUENCES * HEADS;
        Tensor query = bench.tensor(DType.BF16, WarpgroupGemmsTest::query, heads, ROWS, CHANNELS);
        Tensor key = bench.tensor(DType.BF16, WarpgroupGemmsTest::key, heads, KEYS, CHANNELS);
        Launch launch = ((CudaKernels) bench.device().kernels())
                .modules()
                .launch(bench.queue(), "two_products", kernel)
                .tiles(
                        (CudaTensor) query,
                        CHANNELS,
                        new Extent(ROWS, CHANNELS, 64),
                        new Extent(heads, ROWS * CHANNELS, 1))
                .tiles(
                        (CudaTensor) key,
                        CHANNELS,
                        new Extent(KEYS, CHANNELS, keys),
                        new Extent(heads, KEYS * CHANNELS, 1));
        if (byRows) {
            long all = (long) heads * keys;
            Tensor value = bench.tensor(
                    DType.BF16,
                    i -> value((int) (i % all / keys) / HEADS, (int) (i % keys), (int) (i % all / keys) % HEADS, (int)
                            (i / all)),
                    columns,
                    all);
            launch.matrix((CudaTensor) value, all, columns, columns);
        } else {
            long row = (long) HEADS * columns;
            Tensor value = bench.tensor(
                    DType.BF16,
                    i -> value((int) (i / row / KEYS), (int) (i / row % KEYS), (int) (i % row / columns), (int)
                            (i % columns)),
                    SEQUENCES,
                    KEYS,
                    HEADS,
                    columns);
            launch.tiles(
                    (CudaTensor) value,
                    columns,
                    new Extent(HEADS, columns, 1),
                    new Extent(KEYS, row, keys),
                    new Extent(SEQUENCES, KEYS * row, 1));
        }
        launch.tensor((CudaTensor) result)
                .integer(HEADS)
                .integer(ROWS)
                .shared(64 * LINE_BYTES + keys * LINE_BYTES + keys * columns * 2 + Long.BYTES)
                .run(heads, 2, THREADS);
    }

    @ParameterizedTest
    @CsvSource({"64, 64, false", "64, 128, false", "128, 64, false", "128, 128, false", "64, 128, true", "128, 64, true"
    })
    void multipliesARegisterOperand(int keys, int columns, boolean byRows) {
        try (Bench bench = Bench.open(StubCuda.orSkip().backend())) {
            Tensor result = bench.tensor(DType.FP32, SEQUENCES * HEADS, ROWS, columns);
            launch(bench, (byRows ? "rows_" : "columns_") + keys + "_" + columns, keys, columns, byRows, result);
            assertArrayEquals(expected(columns), bench.read(result));
        }
    }
}
