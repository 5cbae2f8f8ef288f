package io.hirundo.gpusuite.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.gpusuite.internal.kernels.KernelPart;
import io.hirundo.gpusuite.internal.part.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command-line options. */
class GpuSuiteCommandTest {
  @Test
  void leavesOutCasesByName() {
    var command = new GpuSuiteCommand(null, null, null);
    new picocli.CommandLine(command).parseArgs("--without", "attention,quantize");
    var all = KernelCases.forGpu();
    var left = ((KernelPart) command.parts(null, null, null, null).getFirst()).cases();
    assertEquals(names(all.stream().filter(one -> !one.name().matches(".*(attention|quantize).*")).toList()), names(left));
    assertTrue(left.size() < all.size(), left.size() + " cases");
  }

  @Test
  void rejectsNamesThatMatchNoCase() {
    var command = new GpuSuiteCommand(null, null, null);
    new picocli.CommandLine(command).parseArgs("--without", "attention,atention");
    var failure = assertThrows(ConfigurationException.class, () -> command.parts(null, null, null, null));
    assertEquals("--without: no kernel case has atention in its name", failure.getMessage());
  }

  private static List<String> names(List<KernelCase> cases) {
    return cases.stream().map(KernelCase::name).toList();
  }

  /** Including the time by which a part may exceed its limit. */
  @Test
  void allPartsFitIntoTenMinutes() {
    List<Part> all = new GpuSuiteCommand(null, null, null).parts(null, null, null, null);
    int seconds = all.stream().mapToInt(Part::limitSeconds).sum();
    assertTrue(seconds <= 10 * 60 - 40, seconds + " s");
  }
}
