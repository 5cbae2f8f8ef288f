package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.attend;
import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.gemm.library.PlainLibrary;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.device.AttentionFixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attention by a library whose GEMMs are plain loops against the scalar reference. */
final class LibraryAttentionTest {
    private final PlainLibrary library = new PlainLibrary(BF16);

    static List<AttentionFixture> shapes() {
        return AttentionFixture.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void matchesTheReference(AttentionFixture trial) {
        List<double[]> expected = run(trial, new CpuBackend(new CpuOptions(1, CpuOptions.REFERENCE), List.of()));
        List<double[]> found = run(trial, backend(1));
        assertTrue(library.runs.get() > 0 || !trial.computes(), "GEMMs by the library");
        AttentionFixture.requireClose(expected, found);
        List<double[]> again = run(trial, backend(3));
        for (int i = 0; i < found.size(); i++) {
            assertArrayEquals(found.get(i), again.get(i), "output " + i + " with 3 workers");
        }
    }

    private static List<double[]> run(AttentionFixture trial, CpuBackend backend) {
        try (Bench bench = Bench.open(backend)) {
            return trial.run(bench, BF16);
        }
    }

    @Test
    void leavesTheRestToTheVectorKernels() {
        List<AttentionShape> shapes = List.of(
                new AttentionShape(1, 1, 70, new Heads(1, 1, 16), 69),
                new AttentionShape(1, 70, 1, new Heads(1, 1, 16), 0),
                new AttentionShape(1, 3, 0, new Heads(1, 1, 16), 0));
        try (TestDevice device = device(2);
                TestDevice vector = new TestDevice(2, "vector")) {
            for (AttentionShape shape : shapes) {
                same(shape, BF16, device, vector);
            }
            same(new AttentionShape(1, 70, 70, new Heads(1, 1, 16), 0), FP32, device, vector);
        }
        assertEquals(0, library.runs.get());
    }

    private static void same(AttentionShape shape, DType type, TestDevice device, TestDevice vector) {
        List<double[]> expected = values(attend(vector, vector.device.kernels(), shape, type, 1));
        List<double[]> found = values(attend(device, device.device.kernels(), shape, type, 1));
        for (int i = 0; i < expected.size(); i++) {
            assertArrayEquals(expected.get(i), found.get(i));
        }
    }

    private TestDevice device(int workers) {
        return new TestDevice(backend(workers));
    }

    private CpuBackend backend(int workers) {
        return new CpuBackend(new CpuOptions(workers, CpuOptions.VECTOR, "plain"), List.of(library));
    }

    private static List<double[]> values(List<CpuTensor> tensors) {
        List<double[]> values = new ArrayList<>();
        tensors.forEach(tensor -> values.add(TestDevice.values(tensor)));
        return values;
    }
}
