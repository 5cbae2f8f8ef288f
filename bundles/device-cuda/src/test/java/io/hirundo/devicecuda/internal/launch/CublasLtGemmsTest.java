package io.hirundo.devicecuda.internal.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecuda.internal.CudaOptions;
import io.hirundo.devicecuda.internal.cublas.CublasLt;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Books;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GEMMs by a stub of cuBLASLt, on small integers, whose sums every dtype represents exactly. */
class CublasLtGemmsTest extends CublasLtStubTest {
    private static final int M = 5;
    private static final int N = 7;
    private static final int K = 12;

    /** A descriptor, three layouts, two attributes, a preference with six attributes, and the heuristic. */
    private static final int CALLS_TO_CHOOSE = 14;

    private static final int EXECUTION_FAILED = 13;
    private static final int INTERNAL_ERROR = 14;

    private static double left(long row, long inner) {
        return (row * 5 + inner * 3) % 7 - 3;
    }

    private static double right(long inner, long column) {
        return (inner * 2 + column * 7) % 5 - 2;
    }

    private static double before(long row, long column) {
        return (row + column) % 3;
    }

    private static double[] product(boolean accumulate) {
        var product = new double[M * N];
        for (int row = 0; row < M; row++) {
            for (int column = 0; column < N; column++) {
                product[row * N + column] = accumulate ? before(row, column) : 0;
                for (int inner = 0; inner < K; inner++) {
                    product[row * N + column] += left(row, inner) * right(inner, column);
                }
            }
        }
        return product;
    }

    /** The left operand as it is, or stored transposed. */
    private static Tensor left(Bench bench, DType dtype, boolean transposed) {
        return transposed
                ? bench.tensor(dtype, i -> left(i % M, i / M), K, M)
                : bench.tensor(dtype, i -> left(i / K, i % K), M, K);
    }

    private static Tensor right(Bench bench, DType dtype, boolean transposed) {
        return transposed
                ? bench.tensor(dtype, i -> right(i % K, i / K), N, K)
                : bench.tensor(dtype, i -> right(i / N, i % N), K, N);
    }

    private static void requireProducts(Bench bench, DType a, DType b, DType c) {
        GemmKernels gemm = bench.device().kernels().gemm();
        for (boolean accumulate : new boolean[] {false, true}) {
            Tensor nt = bench.tensor(c, i -> before(i / N, i % N), M, N);
            Tensor nn = bench.tensor(c, i -> before(i / N, i % N), M, N);
            Tensor tn = bench.tensor(c, i -> before(i / N, i % N), M, N);
            gemm.multiplyNT(bench.queue(), left(bench, a, false), right(bench, b, true), nt, accumulate);
            gemm.multiplyNN(bench.queue(), left(bench, a, false), right(bench, b, false), nn, accumulate);
            gemm.multiplyTN(bench.queue(), left(bench, a, true), right(bench, b, false), tn, accumulate);
            assertArrayEquals(product(accumulate), bench.read(nt), "NT");
            assertArrayEquals(product(accumulate), bench.read(nn), "NN");
            assertArrayEquals(product(accumulate), bench.read(tn), "TN");
        }
    }

    @ParameterizedTest
    @CsvSource({"BF16, BF16", "BF16, FP32", "FP32, FP32"})
    void multipliesByTheLibrary(DType operands, DType result) {
        int before = stub.ofCublasLt("products");
        int looks = stub.ofCublasLt("heuristics");
        try (Bench bench = bench()) {
            requireProducts(bench, operands, operands, result);
        }
        assertEquals(before + 6, stub.ofCublasLt("products"));
        assertEquals(looks + 3, stub.ofCublasLt("heuristics"), "one for each of NT, NN and TN");
        assertEquals(0, stub.ofCublasLt("live"), "handles, descriptors, layouts and preferences that are left");
    }

    @Test
    void choosesAnotherAlgorithmForUnalignedOperands() {
        int looks = stub.ofCublasLt("heuristics");
        try (Bench bench = bench()) {
            Tensor b = right(bench, DType.BF16, true);
            Tensor storage =
                    bench.tensor(DType.BF16, i -> i == 0 ? Double.NaN : left((i - 1) / K, (i - 1) % K), M * K + 1L);
            for (Tensor a : new Tensor[] {left(bench, DType.BF16, false), storage.view(1, Shape.of(M, K))}) {
                Tensor c = bench.tensor(DType.BF16, i -> 0, M, N);
                bench.device().kernels().gemm().multiplyNT(bench.queue(), a, b, c, false);
                assertArrayEquals(product(false), bench.read(c));
            }
        }
        assertEquals(looks + 2, stub.ofCublasLt("heuristics"));
    }

    @Test
    void timesGemmsByDtypesAndExtents() {
        try (Bench bench = bench()) {
            Tensor a = left(bench, DType.BF16, false);
            Tensor b = right(bench, DType.BF16, true);
            Tensor c = bench.tensor(DType.FP32, i -> 0, M, N);
            try (KernelTimer timer = bench.device().timeKernels().orElseThrow()) {
                bench.device().kernels().gemm().multiplyNT(bench.queue(), a, b, c, false);
                assertEquals(
                        List.of(new KernelTime("BF16 [5, 12] x BF16 [7, 12]^T to FP32", 1, 2_000_000)),
                        timer.times().kernels());
            }
        }
    }

    @Test
    void serializesQueues() {
        try (Bench bench = bench();
                var other = bench.device().newQueue("other")) {
            Tensor a = left(bench, DType.BF16, false);
            Tensor b = right(bench, DType.BF16, true);
            Tensor first = bench.tensor(DType.FP32, i -> 0, M, N);
            Tensor second = bench.tensor(DType.FP32, i -> 0, M, N);
            GemmKernels gemm = bench.device().kernels().gemm();
            bench.queue().drain();
            gemm.multiplyNT(bench.queue(), a, b, first, false);
            int pending = stub.pending();
            gemm.multiplyNT(other, a, b, second, false);
            other.drain();
            assertTrue(pending > 0 && stub.pending() == 0, "the second comes after the first, whose workspace it has");
            assertArrayEquals(product(false), bench.read(first));
            assertArrayEquals(product(false), bench.read(second));
        }
    }

    @Test
    void usesTheOwnKernelForOtherDtypes() {
        int before = stub.ofCublasLt("products");
        try (Bench bench = bench()) {
            requireProducts(bench, DType.FP32, DType.BF16, DType.FP32);
            requireProducts(bench, DType.FP32, DType.FP32, DType.BF16);
            requireProducts(bench, DType.FP64, DType.FP64, DType.FP64);
        }
        assertEquals(before, stub.ofCublasLt("products"));
    }

    @Test
    void usesTheOwnKernelWithoutAnAlgorithm() {
        stub.becomeCublasLt(130_000, true);
        int looks = stub.ofCublasLt("heuristics");
        try (Bench bench = bench()) {
            requireProducts(bench, DType.BF16, DType.BF16, DType.FP32);
        }
        assertEquals(looks + 3, stub.ofCublasLt("heuristics"), "asked once for each");
        assertEquals(0, stub.ofCublasLt("live"));
    }

    /** Each of the calls that lead to an algorithm fails once: no object of the library stays alive, and the result is correct. */
    @Test
    void usesTheOwnKernelAfterAFailureOfTheLibrary() {
        int before = stub.ofCublasLt("products");
        for (int call = 0; call < CALLS_TO_CHOOSE; call++) {
            try (Bench bench = bench()) {
                stub.failCublasLt(call, INTERNAL_ERROR);
                assertArrayEquals(product(false), product(bench), "call " + call);
                assertEquals(1, stub.ofCublasLt("live"), "but for the handle, after call " + call);
                // The library is not asked again.
                assertArrayEquals(product(false), product(bench));
            }
            assertEquals(0, stub.ofCublasLt("live"));
        }
        assertEquals(before, stub.ofCublasLt("products"));
    }

    @Test
    void reportsAFailedGemm() {
        try (Bench bench = bench()) {
            stub.failCublasLt(CALLS_TO_CHOOSE, EXECUTION_FAILED);
            var failure = assertThrows(DeviceException.class, () -> product(bench));
            assertTrue(
                    failure.getMessage()
                            .matches(
                                    "cuBLASLt: cublasLtMatmul failed with 13 \\(execution failed\\), for .*; device.options.gemm=own goes without the library"),
                    failure::getMessage);
        }
        assertEquals(0, stub.ofCublasLt("live"));
    }

    private static double[] product(Bench bench) {
        Tensor c = bench.tensor(DType.FP32, i -> 0, M, N);
        bench.device()
                .kernels()
                .gemm()
                .multiplyNT(bench.queue(), left(bench, DType.BF16, false), right(bench, DType.BF16, true), c, false);
        return bench.read(c);
    }

    @Test
    void handlesEmptyOperands() {
        try (Bench bench = bench()) {
            Tensor c = bench.tensor(DType.BF16, i -> 3, 2, 2);
            Tensor none = bench.tensor(DType.BF16, 2, 0);
            bench.device().kernels().gemm().multiplyNT(bench.queue(), none, none, c, true);
            assertArrayEquals(new double[] {3, 3, 3, 3}, bench.read(c));
            bench.device().kernels().gemm().multiplyNT(bench.queue(), none, none, c, false);
            assertArrayEquals(new double[4], bench.read(c));
        }
    }

    @Test
    void accountsItsWorkspace(@TempDir Path folder) throws IOException {
        for (var backend : new ComputeBackend[] {
            stub.backend(CudaOptions.CUBLASLT, Path.of(stub.toolkit())),
            stub.backend(CudaOptions.AUTO, withoutCublasLt(folder))
        }) {
            assertEquals(36L << 20, backend.memoryProfile().workspaceBytes());
            var books = new Books();
            var device = backend.open(0, books);
            assertEquals(Map.of(MemoryCategory.WORKSPACE, 36L << 20), books.live());
            device.close();
            assertEquals(Map.of(), books.live());
        }
        assertEquals(4L << 20, stub.backend().memoryProfile().workspaceBytes());
    }

    /** A toolkit with the compiler only. */
    private Path withoutCublasLt(Path folder) throws IOException {
        assumeTrue(
                CublasLt.open(CublasLt.candidates("/nowhere", 13000)).isEmpty(),
                "this machine's loader knows a libcublasLt");
        Files.createDirectories(folder.resolve("lib64"));
        for (String file : List.of("lib64/libnvrtc.so.13", StubCuda.BUILTINS)) {
            Files.copy(Path.of(stub.toolkit(), file), folder.resolve(file));
        }
        return folder;
    }

    @Test
    void rejectsAMissingLibraryThatIsRequested(@TempDir Path folder) throws IOException {
        var backend = stub.backend(CudaOptions.CUBLASLT, withoutCublasLt(folder));
        var failure = assertThrows(DeviceException.class, () -> backend.open(0, new Books()));
        assertEquals(
                "libcublasLt, version 12 or newer but not newer than the driver, is neither on the loader's path nor in "
                        + folder
                        + "; install it, name its folder as device.options.toolkit, or give device.options.gemm=own",
                failure.getMessage());
    }
}
