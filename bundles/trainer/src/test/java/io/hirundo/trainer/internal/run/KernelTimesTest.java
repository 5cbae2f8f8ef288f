package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.event.TrainingEvent.KernelsTimed;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the device times its kernels is in the tests of {@code device-cuda}. */
class KernelTimesTest {
  @TempDir private Path folder;

  @Test
  void ofADeviceThatDoesNotTimeNothingIsTold() {
    var run =
        new SteeredRun(folder)
            .with("training", Map.of("steps", 2, "sequenceTokens", 16, "globalBatch", 4))
            .with("evaluation", Map.of("samples", 2, "kernelTimesEverySteps", 1))
            .run();
    assertEquals(List.of(), run.events(KernelsTimed.class));
    assertEquals(2, run.losses.size());
  }
}
