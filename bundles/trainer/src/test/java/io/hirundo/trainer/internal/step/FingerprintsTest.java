package io.hirundo.trainer.internal.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.lib.oracle.FingerprintDifference;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.FingerprintsSection;
import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import io.hirundo.trainer.internal.record.FingerprintFile;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fingerprint of a tensor is independent of how ranks shard it. */
class FingerprintsTest {
    /** Tolerance for FP32 gradients, which are summed in another order in each layout. */
    private static final double ROUNDING = 1e-5;

    private static final int LAYERS = 2;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void equalThoseOfASingleRankInEveryLayout(boolean tied) {
        var split = new Layout(
                new Extents(2, 1, 2, 2), new Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE, 2, tied, LAYERS);
        var alone = take(split.alone());
        var taken = take(split);

        assertEquals(
                List.of(1L, 2L), taken.stream().map(FingerprintsTaken::step).toList());
        for (int i = 0; i < alone.size(); i++) {
            assertNear(alone.get(i).gradients(), taken.get(i).gradients());
            assertNear(alone.get(i).weights(), taken.get(i).weights());
        }
    }

    private static void assertNear(List<TensorFingerprint> expected, List<TensorFingerprint> actual) {
        assertEquals(names(expected), names(actual));
        for (int i = 0; i < expected.size(); i++) {
            var difference = FingerprintDifference.between(expected.get(i), actual.get(i));
            assertTrue(difference.relative() < ROUNDING, expected.get(i).tensor() + ": " + difference);
            assertTrue(Math.abs(difference.scale()) < ROUNDING, expected.get(i).tensor() + ": " + difference);
        }
    }

    private static List<String> names(List<TensorFingerprint> fingerprints) {
        return fingerprints.stream().map(TensorFingerprint::tensor).toList();
    }

    /** The sum of squares equals the squared gradient norm, which the trainer computes in another way. */
    @Test
    void matchTheGradientNorm() {
        var layout = new Layout(new Extents(1, 1, 1, 1), Ways.DEFAULT, Recompute.NONE, 2, false, LAYERS);
        try (var run = open(layout, List.of(1L))) {
            double norm = run.step().gradientNorm();
            double squares = run.fingerprints().orElseThrow().gradients().stream()
                    .mapToDouble(TensorFingerprint::sumOfSquares)
                    .sum();

            assertEquals(norm, Math.sqrt(squares), 1e-6 * norm);
            run.step();
            assertEquals(Optional.empty(), run.fingerprints(), "step 2 has none");
        }
    }

    @Test
    void changeNoLoss() {
        var layout = new Layout(new Extents(1, 1, 2, 1), Ways.DEFAULT, Recompute.NONE, 2, false, LAYERS);
        assertEquals(losses(layout, List.of()), losses(layout, List.of(1L, 2L)));
    }

    @Test
    void areOneLinePerStep(@TempDir Path folder) throws Exception {
        var file = new FingerprintFile(folder.resolve("fingerprints.jsonl"));
        file.on(new FingerprintsTaken(3, List.of(new TensorFingerprint("a", 2, 0.1, List.of(-1.5))), List.of()));
        file.on(new FingerprintsTaken(4, List.of(), List.of()));

        assertEquals(
                List.of(
                        "{\"step\":3,\"gradients\":[{\"tensor\":\"a\",\"elements\":2,\"sumOfSquares\":0.1,\"projections\":[-1.5]}],\"weights\":[]}",
                        "{\"step\":4,\"gradients\":[],\"weights\":[]}"),
                Files.readAllLines(file.file()));
    }

    /** A crash cut the last line, and the run resumes at step 4; later it is rolled back to step 3. */
    @Test
    void dropsLinesOfRepeatedStepsAndCutLines(@TempDir Path folder) throws Exception {
        var file = new FingerprintFile(folder.resolve("fingerprints.jsonl"));
        String third = "{\"step\":3,\"gradients\":[],\"weights\":[]}";
        String fourth = "{\"step\":4,\"gradients\":[],\"weights\":[]}";
        Files.writeString(file.file(), third + "\n" + fourth + "\n{\"step\":5,\"gradi");

        file.on(new TrainingEvent.RunStarted(
                "run", folder, null, null, List.of(), new TrainingEvent.RunPlan(1, 4, 9, 1, 1)));
        assertEquals(List.of(third), Files.readAllLines(file.file()));
        file.on(new FingerprintsTaken(4, List.of(), List.of()));
        assertEquals(List.of(third, fourth), Files.readAllLines(file.file()));

        file.on(new TrainingEvent.RunRolledBack(3, 4, "a finding"));
        assertEquals(List.of(third), Files.readAllLines(file.file()));
    }

    private static List<Double> losses(Layout layout, List<Long> steps) {
        try (var run = open(layout, steps)) {
            return List.of(run.step().loss(), run.step().loss(), run.step().loss());
        }
    }

    private static List<FingerprintsTaken> take(Layout layout) {
        var taken = new ArrayList<FingerprintsTaken>();
        try (var run = open(layout, List.of(1L, 2L))) {
            for (int step = 0; step < 2; step++) {
                run.step();
                taken.add(run.fingerprints().orElseThrow());
            }
        }
        return taken;
    }

    private static LocalRun open(Layout layout, List<Long> steps) {
        var plain = Layouts.configuration(layout);
        var configuration = new RunConfiguration(
                1,
                plain.seed(),
                plain.run(),
                plain.model(),
                plain.device(),
                plain.precision(),
                plain.mesh(),
                plain.training(),
                plain.optimizer(),
                plain.learningRate(),
                plain.data(),
                plain.evaluation(),
                plain.samples(),
                new FingerprintsSection(steps),
                plain.checkpoint(),
                plain.swap(),
                plain.audit(),
                plain.monitors());
        return LocalRun.open(
                configuration, Layouts.strategies(layout, Layouts.cpu(), request -> new StructuredTokens()));
    }
}
