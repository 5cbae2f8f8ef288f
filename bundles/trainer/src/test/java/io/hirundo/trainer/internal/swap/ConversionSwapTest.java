package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.fixture.Converting;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Swaps to optimizers whose conversions fail, miss a tensor or declare wrong ones. */
class ConversionSwapTest {
    @TempDir
    private Path folder;

    /** Two ranks, which own complete blocks if the optimizer has moments in 8 bits; rows of all matrices are one block. */
    private SteeredRun run(String name, boolean eightBits) {
        var sizes = Map.of(
                "vocabSize",
                96,
                "hiddenSize",
                128,
                "intermediateSize",
                128,
                "numHiddenLayers",
                1,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                4,
                "maxPositionEmbeddings",
                16);
        return new SteeredRun(folder.resolve(name))
                .with("mesh", Map.of("data", 2))
                .with("model", Map.of("architecture", Map.of("name", "llama", "options", sizes), "export", false))
                .with("optimizer", Map.of("name", "adamw", "options", Map.of("eightBitState", eightBits)))
                .with("training", Map.of("steps", 6, "sequenceTokens", 16, "globalBatch", 4));
    }

    private static void offer(SteeredRun run, boolean eightBits, UnaryOperator<List<StateConversion>> change) {
        var options = new AdamWOptions(0.9, 0.95, 1e-8, 0.1, eightBits);
        run.catalog.add(
                "optimizer",
                "other",
                new Fixed<>(Optimizer.class, new Converting(new AdamWFactory().create(options), change)));
    }

    @Test
    void rejectsASwapWhoseConversionFailsOnOneRankAlone() {
        var failed = new AtomicBoolean();
        Runnable failOnce = () -> {
            if (failed.compareAndSet(false, true)) {
                throw new IllegalStateException("no such value");
            }
        };
        var run = run("failing", true);
        offer(
                run,
                false,
                real -> real.stream()
                        .<StateConversion>map(each -> new Converting.Watched(each, failOnce))
                        .toList());
        var decision = run.change(3, "optimizer=other");
        run.run();
        assertFalse(decision.join().granted());
        assertTrue(
                failed.get() && decision.join().message().contains("no such value"),
                decision.join().message());
        assertEquals(run("unchanged", true).run().losses, run.losses);
    }

    /** Where all state begins at zero, so does what was converted. */
    @Test
    void aRestartForgetsWhatWasConverted() {
        var all = run("all", true);
        offer(all, false, real -> List.of());
        var some = run("some", true);
        offer(some, false, real -> real.subList(0, 1));
        for (SteeredRun run : List.of(all, some)) {
            var decision = run.change(3, "optimizer=other");
            run.run();
            assertTrue(
                    decision.join().message().contains("optimizer state: all from zero"),
                    decision.join().message());
        }
        assertEquals(all.losses, some.losses);
        assertNotEquals(run("unchanged", true).run().losses, some.losses);
    }

    @Test
    void rejectsAConversionToWhatTheOptimizerDoesNotDeclare() {
        var other = new StateSpec("velocity", DType.FP32);
        var run = run("undeclared", false);
        offer(
                run,
                false,
                real -> real.stream()
                        .<StateConversion>map(each -> new Converting.Other(each.from(), List.of(other)))
                        .toList());
        assertRejected(run, "optimizer: it converts to [" + other + "] from ");
    }

    @Test
    void rejectsAConversionFromNothing() {
        var run = run("nothing", false);
        offer(
                run,
                false,
                real -> real.stream()
                        .<StateConversion>map(each -> new Converting.Other(List.of(), each.to()))
                        .toList());
        assertRejected(run, "from [] for ");
    }

    private static void assertRejected(SteeredRun run, String what) {
        var decision = run.change(3, "optimizer=other");
        run.run();
        String message = decision.join().message();
        assertFalse(decision.join().granted());
        assertTrue(
                message.contains(what) && message.endsWith("; choose another optimizer, or correct its conversions()"),
                message);
    }
}
