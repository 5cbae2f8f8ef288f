package io.hirundo.devicecpu.internal.gemm.library;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecpu.internal.fixture.RecordingLedger;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.gemm.GemmOperands;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiles by a library whose GEMMs are plain loops; values are small integers, so that every order of summing is exact. */
final class LibraryGemmTest {
    private final PlainLibrary library = new PlainLibrary(DType.FP32);

    private Device open(int workers) {
        return new CpuBackend(new CpuOptions(workers, CpuOptions.VECTOR, "plain"), List.of(library))
                .open(0, new RecordingLedger());
    }

    /**
     * M, N and K; and how many blocks of tiles: 257 columns in tiles of 64 are four, the last one of 65, because none may have one column, and
     * sums of 769 and 1537 have two and three blocks.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 2, 1, 1",
        "1, 257, 5, 4",
        "2, 2, 3, 1",
        "17, 300, 9, 5",
        "129, 65, 4, 2",
        "513, 17, 3, 6",
        "1025, 513, 2, 8",
        "3, 5, 769, 2",
        "1, 3, 1537, 3"
    })
    void everyTileIsRight(int m, int n, int k, int tiles) {
        for (boolean accumulate : new boolean[] {false, true}) {
            try (Device device = open(3)) {
                library.runs.set(0);
                CpuTensor a = tensor(device, 1, m, k);
                CpuTensor aT = tensor(device, 2, k, m);
                CpuTensor bT = tensor(device, 3, n, k);
                CpuTensor b = tensor(device, 4, k, n);
                CpuTensor c = tensor(device, 5, m, n);
                double[] expected = TestDevice.values(c);
                expected = expected(a, k, 1, bT, 1, k, expected, n, k, accumulate);
                device.kernels().gemm().multiplyNT(null, a, bT, c, accumulate);
                assertArrayEquals(expected, TestDevice.values(c));
                assertEquals(tiles, library.runs.get());
                expected = expected(a, k, 1, b, n, 1, expected, n, k, accumulate);
                device.kernels().gemm().multiplyNN(null, a, b, c, accumulate);
                assertArrayEquals(expected, TestDevice.values(c));
                expected = expected(aT, 1, m, b, n, 1, expected, n, k, accumulate);
                device.kernels().gemm().multiplyTN(null, aT, b, c, accumulate);
                assertArrayEquals(expected, TestDevice.values(c));
            }
        }
        assertEquals(library.prepared.get(), library.closed.get(), "a device closes what it had prepared");
        assertTrue(library.shapes.stream().allMatch(shape -> shape.m() > 1 && shape.n() > 1), library.shapes::toString);
    }

    /** A BF16 result is rounded once, not after every block of k: the first one sums to 257, which BF16 rounds to 256, the last one adds -1. */
    @Test
    void roundsNarrowResultsOnce() {
        int k = 1024;
        try (Device device = new CpuBackend(
                        new CpuOptions(2, CpuOptions.VECTOR, "plain"), List.of(new PlainLibrary(DType.BF16)))
                .open(0, new RecordingLedger())) {
            for (int m : new int[] {1, 3}) {
                CpuTensor a = narrow(device, i -> i % k == 0 ? 256 : i % k == 1 ? 1 : i % k == k - 1 ? -1 : 0, m, k);
                CpuTensor b = narrow(device, i -> 1, 2, k);
                CpuTensor c = narrow(device, i -> 2, m, 2);
                device.kernels().gemm().multiplyNT(null, a, b, c, false);
                assertArrayEquals(
                        LongStream.range(0, 2 * m).mapToDouble(i -> 256).toArray(), TestDevice.values(c));
                device.kernels().gemm().multiplyNT(null, a, b, c, true);
                assertArrayEquals(
                        LongStream.range(0, 2 * m).mapToDouble(i -> 512).toArray(), TestDevice.values(c));
            }
        }
    }

    /**
     * M, N and tiles of a BF16 result. With 64 rows and more no tile has more columns than rows, so none needs sums in FP32; with fewer rows all
     * do, and tiles are as wide as those of FP32 results.
     */
    @ParameterizedTest
    @CsvSource({"40, 2000, 4", "64, 128, 2", "129, 258, 3", "300, 1000, 4", "600, 600, 2"})
    void narrowTilesAreNoWiderThanHighOrAsWideAsAny(int m, int n, int tiles) {
        PlainLibrary narrow = new PlainLibrary(DType.BF16);
        try (Device device = new CpuBackend(new CpuOptions(1, CpuOptions.VECTOR, "plain"), List.of(narrow))
                .open(0, new RecordingLedger())) {
            CpuTensor a = narrow(device, i -> i % 5 - 2, m, 3);
            CpuTensor b = narrow(device, i -> i % 7 - 3, n, 3);
            CpuTensor c = narrow(device, i -> 2, m, n);
            double[] expected = expected(a, 3, 1, b, 1, 3, TestDevice.values(c), n, 3, true);
            device.kernels().gemm().multiplyNT(null, a, b, c, true);
            assertArrayEquals(expected, TestDevice.values(c));
            assertEquals(tiles, narrow.runs.get());
            DType sums = m < 64 ? DType.FP32 : DType.BF16;
            assertTrue(narrow.shapes.stream().allMatch(shape -> shape.c().dtype() == sums), narrow.shapes::toString);
        }
    }

    /** FP32 sums of the largest tile fill a worker's memory: the library must not prepare it in vain. */
    @Test
    void preparesNoTileWhoseSumsDoNotFit() {
        PlainLibrary narrow = new PlainLibrary(DType.BF16);
        try (Device device = open(1)) {
            CpuTensor a = narrow(device, _ -> 0, 1024, 769);
            CpuTensor b = narrow(device, _ -> 0, 1024, 769);
            CpuTensor c = narrow(device, _ -> 0, 1024, 1024);
            var operands = new GemmOperands(a, b, c, new GemmOperands.Extents(1024, 1024, 769), false, true);
            try (PreparedGemms prepared = new PreparedGemms(narrow)) {
                assertEquals(4, new LibraryTiles(operands, false, prepared, 1).tasks());
            }
            assertEquals(2, narrow.prepared.get(), narrow.shapes::toString);
            assertTrue(
                    narrow.shapes.stream().allMatch(shape -> 4L * shape.m() * shape.n() < Scratch.WORKER_BYTES),
                    narrow.shapes::toString);
        }
    }

    private static CpuTensor narrow(Device device, LongToDoubleFunction value, long... dims) {
        CpuTensor tensor = (CpuTensor) device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), DType.BF16);
        LongStream.range(0, tensor.elements()).forEach(i -> tensor.setDouble(i, value.applyAsDouble(i)));
        return tensor;
    }

    @Test
    void leavesTheRestToOurOwnKernels() {
        try (Device device = open(1)) {
            device.kernels()
                    .gemm()
                    .multiplyNT(null, tensor(device, 1, 3, 2), tensor(device, 2, 1, 2), tensor(device, 3, 3, 1), false);
            int deep = 1 << 18;
            device.kernels()
                    .gemm()
                    .multiplyNT(
                            null,
                            tensor(device, 1, 1, deep),
                            tensor(device, 2, 2, deep),
                            tensor(device, 3, 1, 2),
                            false);
            CpuTensor bf16 = (CpuTensor) device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(3, 2), DType.BF16);
            device.kernels().gemm().multiplyNT(null, bf16, tensor(device, 2, 2, 2), tensor(device, 3, 3, 2), false);
        }
        assertEquals(0, library.runs.get());
    }

    @Test
    void keepsTheProductsUsedLast() {
        try (Device device = open(1)) {
            for (int i = 0; i < PreparedGemms.MOST + 10; i++) {
                int m = 2 + i % 100;
                int k = 1 + i / 100;
                device.kernels()
                        .gemm()
                        .multiplyNT(
                                null, tensor(device, 1, m, k), tensor(device, 2, 2, k), tensor(device, 3, m, 2), false);
            }
            assertEquals(PreparedGemms.MOST + 10, library.prepared.get());
            assertEquals(10, library.closed.get());
        }
        assertEquals(library.prepared.get(), library.closed.get());
    }

    @Test
    void choosesAndSaysWhy() {
        assertEquals(
                "GEMMs by the Vector API: no bundle offers a library",
                GemmChoice.of("auto", List.of()).reasons());
        assertEquals(
                "GEMMs by the Vector API: as configured",
                GemmChoice.of("vector", List.of(library)).reasons());
        assertEquals(
                "GEMMs of FP32 by plain loops, others by the Vector API (BF16: loops know [FP32] only)",
                GemmChoice.of("auto", List.of(library)).reasons());
        library.faster = false;
        String asFast = GemmChoice.of("auto", List.of(library)).reasons();
        assertTrue(
                asFast.contains(
                        "not by plain (FP32: the Vector API is as fast, and has the same bits on every machine"),
                asFast);
        assertTrue(GemmChoice.of("plain", List.of(library)).reasons().startsWith("GEMMs of FP32 by plain loops"));
        PlainLibrary useful = new PlainLibrary(DType.BF16);
        assertTrue(
                GemmChoice.of("auto", List.of(library, useful))
                        .library()
                        .filter(useful::equals)
                        .isPresent(),
                "not only the first is asked");
        library.obstacle = "it is Monday";
        assertTrue(
                GemmChoice.of("auto", List.of(library)).reasons().contains("not by plain (FP32: it is Monday; BF16:"));
        String useless = assertThrows(ConfigurationException.class, () -> GemmChoice.of("plain", List.of(library)))
                .getMessage();
        assertTrue(
                useless.contains("cannot multiply on this machine")
                        && useless.endsWith("set device.options.gemm to auto"),
                useless);
        String missing = assertThrows(ConfigurationException.class, () -> GemmChoice.of("fast", List.of(library)))
                .getMessage();
        assertTrue(missing.contains("'fast' is wrong (allowed in this profile: auto, vector, plain)"), missing);
    }

    private static CpuTensor tensor(Device device, int seed, long... dims) {
        CpuTensor tensor = (CpuTensor) device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), DType.FP32);
        LongStream.range(0, tensor.elements()).forEach(i -> tensor.setDouble(i, (i * 7 + seed * 5L) % 11 - 5));
        return tensor;
    }

    /** The steps are elements from one index of M, N or K to the next. */
    private static double[] expected(
            CpuTensor a,
            int aRow,
            int aColumn,
            CpuTensor b,
            int bRow,
            int bColumn,
            double[] old,
            int n,
            int k,
            boolean accumulate) {
        double[] result = new double[old.length];
        for (int i = 0; i < result.length; i++) {
            double sum = accumulate ? old[i] : 0;
            for (int p = 0; p < k; p++) {
                sum += a.getDouble((long) i / n * aRow + (long) p * aColumn)
                        * b.getDouble((long) p * bRow + (long) (i % n) * bColumn);
            }
            result[i] = sum;
        }
        return result;
    }
}
