package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.TightBackend;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A change for which memory is short is rejected before it begins, and the run continues as if nobody had asked. A start is rejected, too. */
class TightSwapTest {
    /** Parameters of the model of {@link SteeredRun}, without norms. */
    private static final long IN_LAYERS = 4 * (4 * 32 * 32 + 3 * 32 * 64);

    private static final long PARAMETERS = 2 * 96 * 32 + IN_LAYERS;

    private static final long NORMS = 9 * 32;

    private static final int RANKS = 4;

    private static final long GEMM_WORKSPACE_BYTES = 10 << 20;

    /** Between assignments of one request. */
    private static final String AND = " and ";

    /** Sequences of a step, of which each rank has one in a microbatch. */
    private static final int ONE_MICROBATCH = RANKS;

    private static final int TWO_MICROBATCHES = 2 * RANKS;

    /** Losses of runs without a change, which several tests compare with. */
    private static final Map<Object, List<Double>> UNCHANGED = new ConcurrentHashMap<>();

    @TempDir
    private Path folder;

    private SteeredRun run(String name, TightBackend backend, String precision, Object mode, int globalBatch) {
        var run = new SteeredRun(folder.resolve(name));
        run.catalog.add("device", "tight", new Fixed<>(ComputeBackend.class, backend));
        return run.with("device", Map.of("name", "tight"))
                .with("swap", Map.of("gate", Map.of("enabled", false)))
                .with(
                        "training",
                        Map.of(
                                "steps",
                                SteeredRun.STEPS,
                                "sequenceTokens",
                                16,
                                "globalBatch",
                                globalBatch,
                                "microBatch",
                                1))
                .with("precision", Map.of("name", precision))
                .with("mesh", Map.of("data", RANKS, "dataParallel", mode));
    }

    /**
     * Requests the change after step 3, and leaves the devices so much memory when step 4 has ended, until the change is decided. Without a
     * parity check, whose activations would need more.
     */
    private String check(String precision, Object mode, String assignment, long leftBytes, String missing) {
        return check(precision, mode, ONE_MICROBATCH, assignment, leftBytes, missing);
    }

    private String check(
            String precision, Object mode, int globalBatch, String assignments, long leftBytes, String missing) {
        var backend = new TightBackend();
        var run = run("tight", backend, precision, mode, globalBatch);
        var decision = run.change(3, assignments.split(AND));
        decision.thenRun(backend::relax);
        run.after(4, () -> backend.leave(leftBytes)).afterRejection(backend::relax);
        run.run();
        assertEquals(
                missing.isEmpty(), decision.join().granted(), decision.join().message());
        if (!missing.isEmpty()) {
            assertTrue(
                    decision.join().message().contains("the test leaves no room"),
                    decision.join().message());
            assertTrue(
                    decision.join().message().contains("bytes for " + missing),
                    decision.join().message());
            List<Double> unchanged = UNCHANGED.computeIfAbsent(
                    List.of(precision, mode, globalBatch),
                    _ -> run("unchanged", new TightBackend(), precision, mode, globalBatch)
                            .run()
                            .losses);
            assertEquals(unchanged, run.losses);
        }
        return decision.join().message();
    }

    /** {@code zero1}: on the way the masters and the complete FP32 weights are there, for 2 bytes a parameter more. {@code zero2}: 1 more. */
    @ParameterizedTest
    @CsvSource({"zero1, 1.8", "zero2, 0.9"})
    void rejectsAPrecisionWhoseWeightsDoNotFit(String mode, double bytes) {
        String message = check("bf16", mode, "precision=fp32", (long) (bytes * PARAMETERS), "WEIGHTS");
        assertTrue(message.contains(reason(PARAMETERS + NORMS, "")), message);
        assertTrue(
                message.endsWith(
                        "take a precision whose layers read BF16 or quantized weights, or set mesh.dataParallel=fsdp first"),
                message);
    }

    private static String reason(long inFp32, String when) {
        return String.format(
                Locale.ROOT,
                "precision: its layers read complete weights in FP32, 4 bytes for %,d of this rank's %,d parameters%s, which do not fit",
                inFp32,
                PARAMETERS + NORMS,
                when);
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

    /** Reducing once a step takes 4 bytes a parameter for complete gradients. */
    @ParameterizedTest
    @CsvSource({"zero2, 3.5, GRADIENTS", "fsdp, 3.5, GRADIENTS", "zero2, 4.6, ''"})
    void rejectsAccumulationWhoseGradientsDoNotFit(String mode, double bytes, String missing) {
        check(
                "fp32",
                mode,
                TWO_MICROBATCHES,
                "mesh.dataParallel.options.reduceEvery=step",
                (long) (bytes * PARAMETERS),
                missing);
    }

    /** Of one microbatch, complete gradients are reduced block by block. */
    @Test
    void acceptsAccumulationOfASingleMicrobatch() {
        check(
                "fp32",
                "zero2",
                ONE_MICROBATCH,
                "mesh.dataParallel.options.reduceEvery=step",
                (long) (3.5 * PARAMETERS),
                "");
    }

    /** FP8 layers then gather 4 bytes for each weight of a block and the next, instead of 1. */
    @Test
    void rejectsUnquantizedGathersThatDoNotFit() {
        Object mode = Map.of("name", "fsdp", "options", Map.of("gatherCodes", true));
        check(
                "fp8-blockwise",
                mode,
                ONE_MICROBATCH,
                "mesh.dataParallel.options.gatherCodes=false",
                (long) (1.2 * IN_LAYERS),
                "WEIGHTS");
    }

    /** Then the weights of a second block are gathered, and the gradients of a second one are reduced: 4 bytes each. */
    @ParameterizedTest
    @CsvSource({"0.9, WEIGHTS", "3.2, GRADIENTS"})
    void rejectsOverlapThatDoesNotFit(double bytes, String missing) {
        Object mode = Map.of("name", "fsdp", "options", Map.of("overlap", false));
        check(
                "fp32",
                mode,
                ONE_MICROBATCH,
                "mesh.dataParallel.options.overlap=true",
                (long) (bytes * IN_LAYERS),
                missing);
    }

    /** FP32 weights take 1 byte a parameter more, and complete gradients 4. */
    @ParameterizedTest
    @CsvSource({
        "precision=fp32, ''",
        "mesh.dataParallel.options.reduceEvery=step, ''",
        "precision=fp32 and mesh.dataParallel.options.reduceEvery=step, GRADIENTS"
    })
    void rejectsTwoChangesThatFitOnlyAlone(String assignments, String missing) {
        check("bf16", "zero2", TWO_MICROBATCHES, assignments, (long) (4.6 * PARAMETERS), missing);
    }

    /** The steps before have accumulated them, too. */
    @Test
    void rejectsAPrecisionThatDoesNotFitNextToCompleteGradients() {
        Object mode = Map.of("name", "zero2", "options", Map.of("reduceEvery", "step"));
        check("bf16", mode, TWO_MICROBATCHES, "precision=fp32", (long) (4.6 * PARAMETERS), "GRADIENTS");
    }

    /** Of 4 bytes a parameter, after 7 for the rest, and before a forward allocates activations. */
    @Test
    void startsOnlyIfCompleteGradientsFit() {
        Object mode = Map.of("name", "zero2", "options", Map.of("reduceEvery", "step"));
        SteeredRun run = run(
                "start",
                new TightBackend(GEMM_WORKSPACE_BYTES + (long) (9.5 * PARAMETERS)),
                "fp32",
                mode,
                TWO_MICROBATCHES);
        String message = assertThrows(DeviceException.class, run::run).getMessage();
        assertTrue(message.contains("bytes for GRADIENTS"), message);
        assertEquals(List.of(), run.losses);
    }

    /** The sharding of {@code zero2} takes 7 bytes a parameter and complete gradients 4, of which the former sharding frees 4 before. */
    @Test
    void countsWhatAMoveFreesBeforeTheNextStep() {
        String step = "mesh.dataParallel={name: zero2, options: {reduceEvery: step}}";
        check("fp32", "fsdp", TWO_MICROBATCHES, step, (long) (8.5 * PARAMETERS), "");
    }

    /** Next to 8 bytes a parameter, the move takes the FP32 weights of a block, and the step those of two, and the 4 bytes that the move freed. */
    @Test
    void rejectsAMoveAfterWhichAStepDoesNotFit() {
        String step = "mesh.dataParallel={name: fsdp, options: {reduceEvery: step, shardSize: 2}}";
        check("fp32", "fsdp", TWO_MICROBATCHES, step, (long) (9.3 * PARAMETERS), "GRADIENTS");
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
        check(
                "fp32",
                "zero1",
                "mesh.dataParallel={name: zero1, options: {lateGradients: true}}",
                6 * PARAMETERS,
                "GRADIENTS");
    }
}
