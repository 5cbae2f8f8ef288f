package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.attend;
import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecpu.internal.attention.AttentionOptionsTest;
import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.gemm.library.PlainLibrary;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attention by a library whose GEMMs are plain loops against the scalar reference. */
final class LibraryAttentionTest {
  /** Of the worst of some ten thousand elements: gradients of scores, rounded to BF16 too, are larger than the sums that they end in. */
  private static final double TOLERANCE = 6 * KernelParity.BF16_STEP;

  private final PlainLibrary library = new PlainLibrary(BF16);

  /** Query tokens, key tokens, query heads, key heads, head dim, causal offset, window (0: none), soft cap, scale, tokens of a document. */
  @ParameterizedTest
  @CsvSource({
    "64, 64, 2, 2, 16, 0, 0, 0, 0, 0",
    "130, 130, 4, 2, 48, 0, 0, 0, 0, 0",
    "257, 257, 1, 1, 64, 0, 0, 0, 0, 0",
    "300, 513, 2, 1, 8, 213, 0, 0, 0, 0",
    "2, 2, 2, 1, 2, 0, 0, 0, 0, 0",
    "17, 63, 3, 1, 66, 1000000000, 0, 0, 0, 0",
    "70, 70, 2, 1, 32, -5, 0, 0, 0, 0",
    "70, 75, 2, 1, 256, 3, 0, 0, 0.0625, 0",
    "20, 20, 1, 1, 16, -21, 0, 0, 0, 0",
    "200, 200, 2, 2, 48, 0, 65, 0, 0, 0",
    "66, 577, 2, 1, 16, 511, 2, 1.5, 0, 0",
    "200, 200, 4, 2, 32, 0, 0, 0.7, 2, 70",
    "150, 150, 2, 2, 8, 0, 0, 0, 0, 2",
  })
  void matchesTheReference(
      int queries, int keys, int queryHeads, int keyHeads, int dim, int offset, int window, double softCap, double scale, int documentTokens) {
    AttentionShape shape =
        new AttentionShape(2, queries, keys, new Heads(queryHeads, keyHeads, dim), offset)
            .with(AttentionOptionsTest.options(window, softCap, scale));
    Function<TestDevice, List<CpuTensor>> run = device -> {
      CpuTensor starts = device.tensor(INT32, i -> i % queries / Math.max(1, documentTokens) * documentTokens, 2, queries);
      AttentionShape bound = documentTokens == 0 ? shape : shape.within(new DocumentBounds(starts, 0));
      return attend(device, device.device.kernels(), bound, BF16, 1);
    };
    List<double[]> expected;
    try (TestDevice device = new TestDevice(1, "reference")) {
      expected = values(run.apply(device));
    }
    List<double[]> found;
    try (TestDevice device = device(1)) {
      found = values(run.apply(device));
    }
    assertTrue(library.runs.get() > 0 || offset < -queries, "GEMMs by the library");
    for (int i = 0; i < expected.size(); i++) {
      KernelParity.assertClose("output " + i, expected.get(i), found.get(i), TOLERANCE);
      assertTrue(relativeError(expected.get(i), found.get(i)) < KernelParity.BF16_STEP, "output " + i + ": root mean square of errors");
    }
    try (TestDevice device = device(3)) {
      List<double[]> again = values(run.apply(device));
      for (int i = 0; i < found.size(); i++) {
        assertArrayEquals(found.get(i), again.get(i), "output " + i + " with 3 workers");
      }
    }
  }

  private static double relativeError(double[] expected, double[] found) {
    double errors = 0;
    double squares = Double.MIN_NORMAL;
    for (int i = 0; i < expected.length; i++) {
      if (Double.isFinite(expected[i])) {
        errors += (expected[i] - found[i]) * (expected[i] - found[i]);
        squares += expected[i] * expected[i];
      }
    }
    return Math.sqrt(errors / squares);
  }

  @Test
  void leavesTheRestToTheVectorKernels() {
    List<AttentionShape> shapes = List.of(
        new AttentionShape(1, 1, 70, new Heads(1, 1, 16), 69), new AttentionShape(1, 70, 1, new Heads(1, 1, 16), 0),
        new AttentionShape(1, 3, 0, new Heads(1, 1, 16), 0));
    try (TestDevice device = device(2); TestDevice vector = new TestDevice(2, "vector")) {
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
    return new TestDevice(new CpuBackend(new CpuOptions(workers, CpuOptions.VECTOR, "plain"), List.of(library)));
  }

  private static List<double[]> values(List<CpuTensor> tensors) {
    List<double[]> values = new ArrayList<>();
    tensors.forEach(tensor -> values.add(TestDevice.values(tensor)));
    return values;
  }
}
