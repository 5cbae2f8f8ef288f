package io.hirundo.trainer.internal.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.AuditException;
import io.hirundo.ExitCode;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.RunPaused;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.lib.run.section.AuditSection;
import io.hirundo.lib.run.section.AuditSection.OnFinding;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.LinearProduct;
import io.hirundo.strategy.NoOptions;
import io.hirundo.train.RunStatus;
import io.hirundo.trainer.internal.fixture.BrokenTiles;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the audit reports about wrong arithmetic, and how the run reacts. */
@Timeout(60)
class AuditFindingsTest {
    private static final String LAYER = "model.layers.1.mlp.down_proj.weight";
    private static final LinearProduct PRODUCT = LinearProduct.WEIGHT_GRADIENT;
    /** High enough that nearly every step draws every tile of a layer with so few tiles. */
    private static final double RATE = 256;

    @TempDir
    private Path folder;

    private int runs;
    /** The current step. */
    private final AtomicLong step = new AtomicLong(1);

    private SteeredRun prepared(BrokenTiles.Fault fault, String onFinding) {
        var run = new SteeredRun(folder.resolve("run-" + runs++));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.catalog.add("precision", "broken", new BrokenTiles(fault));
        run.with("precision", Map.of("name", "broken"))
                .with("training", Map.of("steps", 8, "sequenceTokens", 16, "globalBatch", 4))
                .with("checkpoint", Map.of("strategy", Map.of("name", "sync"), "everySteps", 2))
                .with("audit", Map.of("rate", RATE, "onFinding", onFinding, "rollbacks", 2));
        step.set(1);
        for (long done = 1; done <= 8; done++) {
            long next = done + 1;
            run.after(done, () -> step.set(next));
        }
        return run;
    }

    private static boolean isFaulty(String layer, LinearProduct product) {
        return layer.equals(LAYER) && product == PRODUCT;
    }

    private List<Double> sound() {
        return prepared((layer, product, row, column) -> false, "log").run().losses;
    }

    @Test
    void reportsElementAndGemmOfAFinding() {
        var run = prepared((layer, product, row, column) -> isFaulty(layer, product) && column == 1, "log")
                .run();
        List<AuditFound> found = run.events(AuditFound.class);
        assertFalse(found.isEmpty(), "nothing was found");
        for (AuditFound each : found) {
            assertEquals(LAYER, each.place());
            assertEquals("weight gradient", each.operation());
            assertEquals(0, each.row() % BrokenTiles.TILE);
            assertEquals(BrokenTiles.TILE, each.column());
            assertEquals(each.expected() * (1 + 0x1p-6), each.found(), 1e-3 * Math.abs(each.expected()) + each.bound());
            assertTrue(Math.abs(each.found() - each.expected()) > each.bound());
        }
        assertEquals(8, run.losses.size());
    }

    /** The ranks of such a stage have no GEMMs, but take part in collectives. */
    @Test
    void auditsWhereAStageHasNoLinearLayer() {
        var mesh = Map.of("pipeline", 2, "stageLayers", List.of(0, 4));
        List<Double> audited = prepared((layer, product, row, column) -> false, "log")
                .with("mesh", mesh)
                .run()
                .losses;
        var plain = prepared((layer, product, row, column) -> false, "log")
                .with("mesh", mesh)
                .with("audit", Map.of("rate", 0))
                .run();
        assertEquals(plain.losses, audited);
    }

    @Test
    void blamesTheProgramIfTheReplayIsWrong() {
        var run = prepared((layer, product, row, column) -> isFaulty(layer, product), "log")
                .run();
        assertTrue(
                run.events(AuditFound.class).getFirst().replay().contains("wrong again"),
                () -> run.events(AuditFound.class).toString());
    }

    @Test
    void blamesTheDeviceIfTheReplayIsRight() {
        var run = prepared((layer, product, row, column) -> isFaulty(layer, product) && step.get() == 3, "log")
                .run();
        List<AuditFound> found = run.events(AuditFound.class);
        assertEquals(3, found.getFirst().step());
        assertTrue(found.stream().allMatch(each -> each.step() == 3), found::toString);
        assertTrue(found.getFirst().replay().contains("flaky"), found::toString);
    }

    @Test
    void replaysTakeNoMemoryBeyondTheSurvey() {
        var layout =
                new Layouts.Layout(new Layouts.Extents(1, 1, 1, 1), Layouts.Ways.DEFAULT, Recompute.NONE, 1, false, 2);
        var configuration =
                AuditedRunTest.audited(Layouts.configuration(layout), new AuditSection(RATE, OnFinding.LOG, 0));
        var peaks = new ArrayList<List<Map<MemoryCategory, Long>>>();
        for (boolean faulty : new boolean[] {false, true}) {
            var precision = new BrokenTiles((layer, product, row, column) -> faulty).create(new NoOptions());
            try (var run = LocalRun.open(
                    configuration,
                    Layouts.strategies(layout, precision, Layouts.cpu(), request -> new StructuredTokens()))) {
                run.step();
                run.step();
                List<AuditFound> found = run.audits().findings();
                assertEquals(faulty, !found.isEmpty());
                assertTrue(found.stream().allMatch(each -> each.replay().contains("wrong again")), found::toString);
                peaks.add(run.peakBytes());
            }
        }
        assertEquals(peaks.getFirst(), peaks.getLast());
    }

    @Test
    void pausesAfterACheckpoint() {
        var run = prepared((layer, product, row, column) -> isFaulty(layer, product) && step.get() == 3, "pause")
                // Only the pause may save.
                .with("checkpoint", Map.of("strategy", Map.of("name", "sync"), "everySteps", 100, "atEnd", false));
        Thread.ofPlatform().daemon().start(() -> {
            while (run.steering.status().state() != RunStatus.State.PAUSED) {
                Thread.yield();
            }
            run.steering.resume();
        });
        run.run();
        RunPaused pause = run.events(RunPaused.class).getFirst();
        assertTrue(pause.reason().contains(LAYER), pause.reason());
        assertEquals(
                List.of(pause.step()),
                run.events(CheckpointSaved.class).stream()
                        .map(saved -> saved.checkpoint().step())
                        .toList());
        assertEquals(8, run.losses.size());
    }

    @Test
    void rollsBackATransientFaultWithoutATrace() {
        var wrong = new AtomicLong();
        var run = prepared(
                        (layer, product, row, column) ->
                                isFaulty(layer, product) && step.get() == 6 && wrong.incrementAndGet() <= 8,
                        "rollback")
                .run();
        RunRolledBack back = run.events(RunRolledBack.class).getFirst();
        assertEquals(4, back.step());
        assertEquals(6, run.events(AuditFound.class).getFirst().step());
        List<Double> sound = sound();
        int first = run.losses.size() - 4;
        assertEquals(sound.subList(4, 8), run.losses.subList(first, run.losses.size()));
    }

    @Test
    void endsIfRollbacksDoNotHelp() {
        var run = prepared((layer, product, row, column) -> isFaulty(layer, product) && step.get() >= 5, "rollback");
        var failure = assertThrows(AuditException.class, run::run);
        assertEquals(ExitCode.AUDIT, failure.exitCode());
        assertTrue(
                failure.getMessage().contains(LAYER) && failure.getMessage().contains("2 times"), failure::getMessage);
        assertEquals(2, run.events(RunRolledBack.class).size());
    }

    @Test
    void endsIfThereIsNoCheckpointToRollBackTo() {
        var run = prepared((layer, product, row, column) -> isFaulty(layer, product), "rollback");
        var failure = assertThrows(AuditException.class, run::run);
        assertTrue(failure.getMessage().contains("cannot roll back"), failure::getMessage);
    }
}
