package io.hirundo.trainer.internal.steer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.event.TrainingListener;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.testkit.strategy.InertStrategies;
import io.hirundo.train.RunStatus;
import io.hirundo.train.StrategyInUse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunSteeringTest {
    private static final StrategyTable TABLE = StrategyTable.of(
            new Offer("precision", "bf16", "one 1", InertStrategies.factory(PrecisionStrategy.class, NoOptions.class)),
            new Offer("precision", "fp32", "one 1", InertStrategies.factory(PrecisionStrategy.class, NoOptions.class)),
            new Offer("monitor", "jsonl", "two 1", InertStrategies.factory(TrainingListener.class, NoOptions.class)));

    private final RunSteering steering =
            new RunSteering("tiny", Path.of("runs", "tiny"), 400, new Remedies(TABLE, () -> 600), List::of);

    private String reason(String path, String name, String bundle) {
        steering.publish(
                List.of(new StrategyInUse(path, name, bundle), new StrategyInUse("optimizer", "adamw", "three 1")));
        steering.publish(
                RunStatus.State.PAUSED, path + ": " + name + " has gone", new RunStatus.Progress(3, 400, 12, 4.5, 0));
        return steering.status().reason();
    }

    @Test
    void namesRemediesForAMissingStrategy() {
        String reason = reason("precision", "acme", "");
        assertTrue(
                reason.matches(
                        "precision: acme has gone; swap precision bf16 or fp32, or put its bundle back into plugins/; "
                                + "in \\d+ s the run saves and ends [(]swap.waitSeconds[)]"),
                reason);
        String another = reason("precision", "fp32", "");
        assertTrue(another.startsWith("precision: fp32 has gone; swap precision bf16, or put"), another);
        String monitor = reason("monitors[1]", "acme", "");
        assertTrue(
                monitor.startsWith("monitors[1]: acme has gone; swap monitors[1] jsonl, or put its bundle back"),
                monitor);
        String nothingElse = reason("learningRate", "acme", "");
        assertTrue(nothingElse.startsWith("learningRate: acme has gone; put its bundle back"), nothingElse);
    }

    @Test
    void namesNoRemediesForARequestedPause() {
        assertEquals("precision: acme has gone", reason("precision", "acme", "org.acme 1"));
    }
}
