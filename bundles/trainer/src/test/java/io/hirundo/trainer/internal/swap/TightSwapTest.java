package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.TightBackend;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A change for which memory is short is rejected before it begins, and the run continues as if nobody had asked. */
class TightSwapTest {
  /** Parameters of the model of {@link SteeredRun}, without norms. */
  private static final long PARAMETERS = 2 * 96 * 32 + 4 * (4 * 32 * 32 + 3 * 32 * 64);

  private static final int RANKS = 4;

  @TempDir private Path folder;

  private SteeredRun run(String name, TightBackend backend, String precision, String mode) {
    var run = new SteeredRun(folder.resolve(name));
    run.catalog.add("device", "tight", new Fixed<>(ComputeBackend.class, backend));
    return run.with("device", Map.of("name", "tight"))
        .with("precision", Map.of("name", precision))
        .with("mesh", Map.of("data", RANKS, "dataParallel", mode));
  }

  /** Requests the change after step 3, and leaves the devices so much memory when step 4 has ended and the change is decided. */
  private void check(String precision, String mode, String assignment, long leftBytes, String missing) {
    var backend = new TightBackend();
    var run = run("tight", backend, precision, mode);
    var decision = run.change(3, assignment);
    run.after(4, () -> backend.leave(leftBytes)).after(5, backend::relax).afterRejection(backend::relax);
    run.run();
    assertEquals(missing.isEmpty(), decision.join().granted(), decision.join().message());
    if (!missing.isEmpty()) {
      assertTrue(decision.join().message().contains("the test leaves no room"), decision.join().message());
      assertTrue(decision.join().message().contains("bytes for " + missing), decision.join().message());
      assertEquals(run("unchanged", new TightBackend(), precision, mode).run().losses, run.losses);
    }
  }

  /** {@code zero1}: on the way the masters and the complete FP32 weights are there, for 2 bytes a parameter more. {@code zero2}: 1 more. */
  @ParameterizedTest
  @CsvSource({"zero1, 1.8", "zero2, 0.9"})
  void rejectsAPrecisionWhoseWeightsDoNotFit(String mode, double bytes) {
    check("bf16", mode, "precision=fp32", (long) (bytes * PARAMETERS), "WEIGHTS");
  }

  /** The next sharding takes a quarter of 16 bytes a parameter, and moving 4 more for the one bucket of {@code zero1}. */
  @ParameterizedTest
  @CsvSource({"6, COMMUNICATION", "10, ''"})
  void rejectsAMoveWithoutRoomForItsGathers(double bytes, String missing) {
    check("fp32", "zero1", "mesh.dataParallel=fsdp", (long) (bytes * PARAMETERS), missing);
  }

  /** Steps allocate them late, but that they fit is known before the change: 4 bytes a parameter after 4 for weights. */
  @Test
  void rejectsLateGradientsThatDoNotFit() {
    check("fp32", "zero1", "mesh.dataParallel={name: zero1, options: {lateGradients: true}}", 6 * PARAMETERS, "GRADIENTS");
  }
}
