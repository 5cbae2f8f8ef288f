package io.hirundo.devicecpu.internal.quantize;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Matrices that come in pieces, against the same ones quantized whole. */
class PieceQuantizerTest {
    private static final int[][] SIZES = {{1, 1}, {5, 130}, {128, 128}, {129, 127}, {200, 257}, {140, 9}};

    /** Pieces that begin and end anywhere, in rows and in blocks; each has magnitudes of its own at first, as on ranks. */
    @ParameterizedTest
    @CsvSource({"vector, 1", "vector, 3", "reference, 1"})
    void piecesEqualTheWholeBitwise(String kernels, int workers) {
        for (QuantizerTest.Values values : QuantizerTest.Values.values()) {
            try (TestDevice device = new TestDevice(workers, kernels)) {
                int variant = 0;
                for (int[] size : SIZES) {
                    DType type = variant % 3 == 0 ? DType.FP8_E5M2 : DType.FP8_E4M3;
                    ScaleRule rule = variant % 2 == 0 ? ScaleRule.POWER_OF_TWO : ScaleRule.EXACT;
                    CpuTensor x = device.tensor(DType.FP32, values.of(variant++, size[1]), size[0], size[1]);
                    check(device, x, type, rule, values + " " + size[0] + " x " + size[1]);
                }
            }
        }
    }

    private static void check(TestDevice device, CpuTensor x, DType type, ScaleRule rule, String what) {
        long rows = x.shape().dim(0);
        long columns = x.shape().dim(1);
        Kernels kernels = device.device.kernels();
        ScaledMatrix wholeRows = QuantizerTest.matrix(device, type, ScaleBlock.SQUARE, rows, columns);
        ScaledMatrix wholeColumns = QuantizerTest.matrix(device, type, ScaleBlock.SQUARE, columns, rows);
        kernels.blockScaled().orElseThrow().quantize(device.queue, x, rule, wholeRows);
        kernels.blockScaled().orElseThrow().quantizeTransposed(device.queue, x, rule, wholeColumns);

        var pieces = kernels.pieceScaled().orElseThrow();
        long[] scales = ScaleBlock.SQUARE.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        CpuTensor amax = device.tensor(DType.FP32, i -> 0, scales);
        List<MatrixRun> runs = cut(x);
        for (MatrixRun run : runs) {
            CpuTensor own = device.tensor(DType.FP32, i -> 0, scales);
            pieces.measure(device.queue, run, own);
            kernels.elementwise().maximum(device.queue, own, amax);
        }
        ScaledMatrix foundRows = QuantizerTest.matrix(device, type, ScaleBlock.SQUARE, rows, columns);
        ScaledMatrix foundColumns = QuantizerTest.matrix(device, type, ScaleBlock.SQUARE, columns, rows);
        for (MatrixRun run : runs) {
            Tensor codes = foundRows
                    .codesMK()
                    .view(run.firstElement(), Shape.of(run.values().elements()));
            pieces.quantize(device.queue, run, amax, rule, codes);
        }
        pieces.complete(device.queue, amax, rule, foundRows, foundColumns);

        assertArrayEquals(bytes(wholeRows.codesMK()), bytes(foundRows.codesMK()), what);
        assertArrayEquals(bytes(wholeColumns.codesMK()), bytes(foundColumns.codesMK()), what + " transposed");
        assertArrayEquals(bytes(wholeRows.inverseScales()), bytes(foundRows.inverseScales()), what + " scales");
        assertArrayEquals(
                bytes(wholeColumns.inverseScales()), bytes(foundColumns.inverseScales()), what + " scales transposed");
    }

    private static List<MatrixRun> cut(CpuTensor x) {
        var random = new Random(x.elements());
        var runs = new ArrayList<MatrixRun>();
        long at = 0;
        while (at < x.elements()) {
            long count = Math.min(x.elements() - at, random.nextInt(runs.size() % 2 == 0 ? 40 : 20_000));
            runs.add(new MatrixRun(
                    x.view(at, Shape.of(count)), at, x.shape().dim(0), x.shape().dim(1)));
            at += count;
        }
        return runs;
    }

    private static byte[] bytes(Tensor tensor) {
        long address = ((CpuTensor) tensor).address();
        return Memory.ALL.asSlice(address, tensor.byteSize()).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void rejectsMismatchedOperands() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            var pieces = device.device.kernels().pieceScaled().orElseThrow();
            CpuTensor x = device.tensor(DType.FP32, i -> 1, 10);
            CpuTensor amax = device.tensor(DType.FP32, i -> 1, 1, 4);
            CpuTensor codes = device.tensor(DType.FP8_E4M3, i -> 1, 9);
            var run = new MatrixRun(x, 0, 4, 4);
            ScaledMatrix squares = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.SQUARE, 4, 4);
            ScaledMatrix rows = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, 4, 4);
            for (Runnable wrong : List.<Runnable>of(
                    () -> pieces.measure(device.queue, new MatrixRun(x, 7, 4, 4), amax),
                    () -> pieces.measure(device.queue, new MatrixRun(x, -1, 4, 4), amax),
                    () -> pieces.measure(device.queue, run, x),
                    () -> pieces.quantize(device.queue, run, amax, ScaleRule.EXACT, codes),
                    () -> pieces.quantize(device.queue, run, amax, ScaleRule.EXACT, x),
                    () -> pieces.complete(device.queue, amax, ScaleRule.EXACT, rows, squares),
                    () -> pieces.complete(device.queue, amax, ScaleRule.EXACT, squares, rows))) {
                String message =
                        assertThrows(IllegalArgumentException.class, wrong::run).getMessage();
                assertTrue(message.matches("(x|amax|codes|rowsMK|columnsKM) .*"), message);
            }
        }
    }
}
