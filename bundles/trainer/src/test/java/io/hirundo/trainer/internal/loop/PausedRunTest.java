package io.hirundo.trainer.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.UnavailableException;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.train.RunStatus;
import io.hirundo.trainer.internal.fixture.FaultyPrecision;
import io.hirundo.trainer.internal.fixture.FaultyPrecision.Fault;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that pause between two steps because a bundle has stopped or a user requested it. */
class PausedRunTest {
    @TempDir
    private Path folder;

    private int runs;

    private SteeredRun prepared() {
        return new SteeredRun(folder.resolve("run-" + runs++));
    }

    private List<Double> unchanged() {
        return prepared().run().losses;
    }

    /** Removes an offer after a step, and adds it again as soon as the run has released it, which is when its bundle could stop. */
    private static void update(SteeredRun run, long step, String kind, StrategyFactory<?, ?> factory) {
        update(run, step, kind, factory, factory);
    }

    private static void update(
            SteeredRun run, long step, String kind, StrategyFactory<?, ?> factory, StrategyFactory<?, ?> successor) {
        var offer = run.catalog.add(kind, "plug", factory);
        run.after(step, () -> {
            run.catalog.remove(offer);
            Thread.ofPlatform().start(() -> {
                while (run.catalog.isHeld(offer)) {
                    Thread.onSpinWait();
                }
                run.catalog.add(kind, "plug", successor);
            });
        });
    }

    @Test
    void releasesAStrategyWhoseBundleStopsAndTakesItsReplacement() {
        var run = prepared().with("precision", Map.of("name", "plug"));
        update(run, 5, "precision", new Fp32Factory());
        run.run();
        assertEquals(unchanged(), run.losses);
        assertEquals(1, run.events(TrainingEvent.RunPaused.class).size());
        assertTrue(
                run.events(TrainingEvent.RunPaused.class).getFirst().reason().contains("precision: plug of test.plug"));
        assertTrue(run.events(TrainingEvent.ChangeRejected.class).isEmpty(), "there was no change request");
        assertEquals(6, run.events(TrainingEvent.RunResumed.class).getFirst().step());
    }

    @Test
    void rejectsAWrongUpdateAfterTheOldBundleStopped() {
        var run = prepared().with("precision", Map.of("name", "plug"));
        update(run, 5, "precision", new Fp32Factory(), new FaultyPrecision(Fault.TRANSPOSED_WEIGHT_GRADIENT));
        run.afterRejection(run.steering::stop).run();
        String reason = run.events(TrainingEvent.ChangeRejected.class).getLast().reason();
        assertTrue(reason.contains("the weight gradient of " + FaultyPrecision.FAULTY_LAYER), reason);
        assertEquals(6, run.losses.size());
    }

    @Test
    void keepsOptimizerStateForAReplacement() {
        var run = prepared().with("optimizer", Map.of("name", "plug"));
        update(run, 5, "optimizer", new AdamWFactory());
        assertEquals(unchanged(), run.run().losses);
    }

    /** Without their state, FP8 GEMMs would scale by the next step alone. */
    @Test
    void keepsGemmStateAfterBlocksAreReleased() {
        var delayed = Map.of("name", "fp8-delayed", "options", Map.of("history", 3));
        var run = prepared().with("precision", delayed).with("mesh", Map.of("schedule", "plug"));
        update(run, 5, "schedule", new OneForwardOneBackwardFactory());
        assertEquals(prepared().with("precision", delayed).run().losses, run.run().losses);
        assertEquals(1, run.events(TrainingEvent.RunPaused.class).size());
    }

    @Test
    void keepsTheDataCursorForAReplacement() {
        var source = Map.of("name", "plug", "options", Map.of("vocabulary", 96));
        var run = prepared().with("data", Map.of("source", source)).with("mesh", Map.of("data", 2));
        update(run, 5, "data", new SyntheticFactory());
        assertEquals(prepared().with("mesh", Map.of("data", 2)).run().losses, run.run().losses);
    }

    @Test
    void keepsOtherStrategiesOpen() {
        var run = prepared().with("precision", Map.of("name", "plug"));
        var monitor = new ClosingMonitorFactory();
        run.catalog.add("monitor", "closing", monitor);
        run.monitors("closing");
        update(run, 5, "precision", new Fp32Factory());
        run.run();
        assertEquals(0, monitor.closedEarly, "a rejected change closed an unrelated monitor");
        assertEquals(1, monitor.closed);
    }

    @Test
    void endsTheRunIfAStrategyDoesNotReturn() {
        var run = prepared().with("swap", Map.of("waitSeconds", 1)).with("precision", Map.of("name", "plug"));
        var offer = run.catalog.add("precision", "plug", new Fp32Factory());
        run.after(5, () -> run.catalog.remove(offer));
        var failure = assertThrows(UnavailableException.class, run::run);
        assertTrue(failure.getMessage().contains("did not come back within 1 s"), failure.getMessage());
        assertFalse(run.catalog.isHeld(offer));
    }

    @Test
    void pauseAndResumeAndStop() {
        var run = prepared();
        var states = new ArrayList<RunStatus.State>();
        Runnable look = () -> states.add(run.steering.status().state());
        run.after(
                3,
                () -> run.steering
                        .pause()
                        .thenRun(look)
                        .thenRun(() -> run.steering.resume().thenRun(look).thenRun(() -> run.steering.stop())));
        run.run();
        assertEquals(List.of(RunStatus.State.PAUSED, RunStatus.State.RUNNING), states, "states at the answers");
        assertEquals(4, run.losses.size());
        assertEquals(1, run.events(TrainingEvent.RunFinished.class).size());
        assertTrue(run.events(TrainingEvent.RunFinished.class).getFirst().interrupted());
        assertFalse(run.steering.pause().join().granted());
    }

    /** Records whether its monitor is closed, and whether events follow the close. */
    private static final class ClosingMonitorFactory implements StrategyFactory<NoOptions, TrainingListener> {
        private int closed;
        private int closedEarly;

        @Override
        public TrainingListener create(NoOptions options) {
            return new Closing();
        }

        private final class Closing implements TrainingListener, AutoCloseable {
            private boolean isClosed;

            @Override
            public void on(TrainingEvent event) {
                if (isClosed) {
                    closedEarly++;
                }
            }

            @Override
            public void close() {
                isClosed = true;
                closed++;
            }
        }
    }
}
