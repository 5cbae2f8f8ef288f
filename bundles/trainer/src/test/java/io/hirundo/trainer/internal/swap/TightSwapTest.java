package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.TightBackend;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A change for which memory is short is rejected before it begins, and the run continues as if nobody had asked. */
class TightSwapTest {
  /** Parameters of the model of {@link SteeredRun}, without norms. */
  private static final long IN_LAYERS = 4 * (4 * 32 * 32 + 3 * 32 * 64);

  private static final long PARAMETERS = 2 * 96 * 32 + IN_LAYERS;

  private static final long NORMS = 9 * 32;

  private static final int RANKS = 4;

  @TempDir private Path folder;

  private SteeredRun run(String name, TightBackend backend, String precision, Object mode) {
    var run = new SteeredRun(folder.resolve(name));
    run.catalog.add("device", "tight", new Fixed<>(ComputeBackend.class, backend));
    return run.with("device", Map.of("name", "tight"))
        .with("precision", Map.of("name", precision))
        .with("mesh", Map.of("data", RANKS, "dataParallel", mode));
  }

  /** Requests the change after step 3, and leaves the devices so much memory when step 4 has ended and the change is decided. */
  private String check(String precision, Object mode, String assignment, long leftBytes, String missing) {
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
    return decision.join().message();
  }

  /** {@code zero1}: on the way the masters and the complete FP32 weights are there, for 2 bytes a parameter more. {@code zero2}: 1 more. */
  @ParameterizedTest
  @CsvSource({"zero1, 1.8", "zero2, 0.9"})
  void rejectsAPrecisionWhoseWeightsDoNotFit(String mode, double bytes) {
    String message = check("bf16", mode, "precision=fp32", (long) (bytes * PARAMETERS), "WEIGHTS");
    assertTrue(message.contains(reason(PARAMETERS + NORMS, "")), message);
    assertTrue(message.endsWith("take a precision whose layers read BF16 or quantized weights, or change mesh.dataParallel to fsdp first"), message);
  }

  private static String reason(long inFp32, String when) {
    return String.format(
        Locale.ROOT, "precision: its layers read complete weights in FP32, 4 bytes for %,d of this rank's %,d parameters%s, which do not fit", inFp32,
        PARAMETERS + NORMS, when);
  }

  /**
   * The FP8 layers of {@code fp8-current} take 2 bytes a parameter for quantized copies and 2 more than BF16 for weights that are gathered in
   * FP32; with {@code fsdp} 4 for those of two of the four blocks.
   */
  @ParameterizedTest
  @CsvSource({"zero1, 3.2, ''", "zero2, 3.2, ''", "fsdp, 1.2, ' while their block works'"})
  void saysWhichFp8LayersReadFp32(String mode, double bytes, String when) {
    String message = check("bf16", mode, "precision=fp8-current", (long) (bytes * IN_LAYERS), "WEIGHTS");
    assertTrue(message.contains(reason(IN_LAYERS, when)), message);
  }

  /** {@code fp8-blockwise} could gather its weights quantized, for 1 byte a parameter. */
  @Test
  void saysThatWeightsAreNotGatheredQuantized() {
    Object mode = Map.of("name", "zero2", "options", Map.of("gatherCodes", false));
    String message = check("bf16", mode, "precision=fp8-blockwise", (long) (3.2 * IN_LAYERS), "WEIGHTS");
    assertTrue(message.contains(reason(IN_LAYERS, "")), message);
    assertTrue(message.endsWith("or set mesh.dataParallel.options.gatherCodes=true first"), message);
  }

  /** Then the weights of one block are there, and no setting lowers that. */
  @Test
  void doesNotAdviseToTurnOffWhatIsOff() {
    Object mode = Map.of("name", "fsdp", "options", Map.of("overlap", false));
    String message = check("bf16", mode, "precision=fp32", (long) (0.95 * IN_LAYERS), "WEIGHTS");
    assertTrue(message.contains(reason(PARAMETERS + NORMS, " while their block works")), message);
    assertTrue(message.endsWith("take a precision whose layers read BF16 or quantized weights"), message);
  }

  /** The weights that are gathered for a block are those of before. */
  @Test
  void doesNotBlameThePrecisionForAnotherSchedule() {
    String message = check("fp32", "fsdp", "mesh.schedule=gpipe", (long) (0.6 * IN_LAYERS), "WEIGHTS");
    assertFalse(message.contains("precision:"), message);
  }

  /** Reducing once a step takes 4 bytes a parameter for complete gradients, and the next step also its activations. */
  @ParameterizedTest
  @CsvSource({"zero2, 3.5, GRADIENTS", "fsdp, 3.5, GRADIENTS", "zero2, 14, ''"})
  void rejectsAccumulationWhoseGradientsDoNotFit(String mode, double bytes, String missing) {
    check("fp32", mode, "mesh.dataParallel.options.reduceEvery=step", (long) (bytes * PARAMETERS), missing);
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
