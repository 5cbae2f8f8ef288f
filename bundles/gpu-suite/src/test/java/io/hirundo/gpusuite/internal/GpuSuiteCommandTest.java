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

/** What is asked for on the command line. */
class GpuSuiteCommandTest {
  @Test
  void casesAreLeftOutByTheirNames() {
    var command = new GpuSuiteCommand(null, null, null);
    new picocli.CommandLine(command).parseArgs("--without", "attention,quantize");
    var all = KernelCases.forGpu();
    var left = ((KernelPart) command.parts(null, null, null, null).getFirst()).cases();
    assertEquals(names(all.stream().filter(one -> !one.name().matches(".*(attention|quantize).*")).toList()), names(left));
    assertTrue(left.size() < all.size(), left.size() + " cases");
  }

  @Test
  void whatLeavesNothingOutIsRefused() {
    var command = new GpuSuiteCommand(null, null, null);
    new picocli.CommandLine(command).parseArgs("--without", "attention,atention");
    var failure = assertThrows(ConfigurationException.class, () -> command.parts(null, null, null, null));
    assertEquals("--without: no kernel case has atention in its name", failure.getMessage());
  }

  private static List<String> names(List<KernelCase> cases) {
    return cases.stream().map(KernelCase::name).toList();
  }

  /** With what a part may do beyond its limit. */
  @Test
  void theWholeIsDoneInNineMinutes() {
    List<Part> all = new GpuSuiteCommand(null, null, null).parts(null, null, null, null);
    int seconds = all.stream().mapToInt(Part::limitSeconds).sum();
    assertTrue(seconds <= 9 * 60 - 40, seconds + " s");
  }
}
