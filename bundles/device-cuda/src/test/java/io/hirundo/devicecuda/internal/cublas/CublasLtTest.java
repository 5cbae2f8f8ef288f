package io.hirundo.devicecuda.internal.cublas;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecuda.internal.cublas.CublasLtGemm.Matrix;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemoryLayout.PathElement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Constants and layouts of cuBLASLt. */
class CublasLtTest {
    private static long offset(String element) {
        return CublasLt.HEURISTIC_RESULT.byteOffset(PathElement.groupElement(element));
    }

    @Test
    void resultHasTheLibrarysLayout() {
        assertEquals(96, CublasLt.HEURISTIC_RESULT.byteSize());
        assertEquals(
                List.of(0L, 64L, 72L, 76L, 80L),
                List.of(
                        offset("algo"),
                        offset("workspaceSize"),
                        offset("state"),
                        offset("wavesCount"),
                        offset("reserved")));
    }

    @Test
    void typesAndModesHaveTheLibrarysValues() {
        assertEquals(0, Matrix.at(0, DType.FP32, 1, 1, false, null).type());
        assertEquals(14, Matrix.at(0, DType.BF16, 1, 1, false, null).type());
        assertEquals(
                28, Matrix.at(0, DType.FP8_E4M3, 1, 1, false, ScaleBlock.ROW).type());
        assertEquals(
                4, Matrix.at(0, DType.FP8_E4M3, 1, 1, false, ScaleBlock.ROW).scaleMode());
        assertEquals(
                5, Matrix.at(0, DType.FP8_E4M3, 1, 1, false, ScaleBlock.SQUARE).scaleMode());
    }

    @Test
    void capsTheAlignment() {
        assertEquals(256, Matrix.at(4096, DType.FP32, 1, 1, false, null).alignmentBytes());
        assertEquals(2, Matrix.at(4098, DType.BF16, 1, 1, false, null).alignmentBytes());
        assertEquals(16, Matrix.at(4096 + 48, DType.BF16, 1, 1, false, null).alignmentBytes());
    }

    @Test
    void looksForNoLibraryNewerThanTheDriver() {
        assertEquals(
                List.of(
                        "/cuda/lib64/libcublasLt.so.12",
                        "/cuda/lib/libcublasLt.so.12",
                        "/cuda/../cublas/lib/libcublasLt.so.12",
                        "libcublasLt.so.12"),
                CublasLt.candidates("/cuda", 12090));
    }
}
