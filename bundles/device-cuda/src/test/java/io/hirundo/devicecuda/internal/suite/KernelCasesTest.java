package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.gpusuite.internal.kernels.Comparison;
import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.testkit.bench.Books;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares every kernel but those of {@link VariantCasesTest}, emulated on the CPU, with the scalar reference of device-cpu. */
class KernelCasesTest {
  private static Device reference;
  private static Device device;
  private static Comparison comparison;

  @BeforeAll
  static void open() {
    StubCuda stub = StubCuda.orSkip();
    reference = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.REFERENCE)).open(0, new Books());
    device = stub.backend().open(0, new Books());
    comparison = new Comparison(reference, device);
  }

  @AfterAll
  static void close() {
    if (comparison != null) {
      comparison.close();
      device.close();
      reference.close();
    }
  }

  static List<KernelCase> cases() {
    return KernelCases.small().stream().filter(kernelCase -> !VariantCasesTest.hasVariants(kernelCase)).toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void equalsTheReference(KernelCase kernelCase) {
    assertEquals(Optional.empty(), comparison.difference(kernelCase));
  }
}
