package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.DeviceException;
import io.hirundo.command.Check.Finding;
import io.hirundo.command.Check.State;
import io.hirundo.devicecuda.internal.driver.Nvrtc;
import io.hirundo.testkit.Books;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Machines without a GPU, or without what it takes to use one. */
class AbsentCudaTest {
  private static final String REASON = "there is no NVIDIA driver (libno-such-driver.so.1 cannot be opened)";

  private final CudaBackendFactory factory =
      new CudaBackendFactory(new Installation(List.of("libno-such-driver.so.1"), Path.of("target")), null);

  @Test
  void withoutADriverThereAreNoDevices() {
    var backend = factory.create(new CudaOptions());
    assertEquals(List.of(), backend.devices());
    var failure = assertThrows(DeviceException.class, () -> backend.open(0, new Books()));
    assertEquals("there is no device cuda: " + REASON, failure.getMessage());
  }

  @Test
  void doctorSaysWhy() {
    assertEquals(List.of(new Finding(State.ABSENT, "CUDA", REASON)), factory.look());
  }

  @Test
  void doctorSaysWhatIsThere() {
    List<Finding> findings = StubCuda.orSkip().factory().look();
    assertEquals(1, findings.size());
    // Whether there is a compiler depends on the machine.
    assertTrue(findings.getFirst().state() != State.ABSENT, findings::toString);
  }

  @Test
  void withoutACompilerTheDeviceDoesNotOpen() {
    assumeTrue(Nvrtc.open(Nvrtc.candidates("/nowhere", 13000)).isEmpty(), "this machine's loader knows a libnvrtc");
    var backend = StubCuda.orSkip().factory().create(new CudaOptions("/nowhere", "", -1, CudaOptions.AUTO));
    var failure = assertThrows(DeviceException.class, () -> backend.open(0, new Books()));
    assertTrue(failure.getMessage().contains("which is neither on the loader's path nor in /nowhere"), failure::getMessage);
  }
}
