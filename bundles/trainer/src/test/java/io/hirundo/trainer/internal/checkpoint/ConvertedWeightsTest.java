package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is resumed with, or without, FP32 master weights. */
class ConvertedWeightsTest {
    @TempDir
    private Path folder;

    private SteeredRun run(String name, long steps, String masterWeights, String dataParallel, int data) {
        var run = new SteeredRun(folder.resolve(name));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run.with("checkpoint", Map.of("strategy", "sync"))
                .with("precision", Map.of("name", "bf16", "options", Map.of("masterWeights", masterWeights)))
                .with("mesh", Map.of("data", data, "dataParallel", dataParallel))
                .with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4));
    }

    private static String conversions(SteeredRun run) {
        return String.join(
                "\n",
                run.events(TrainingEvent.ProductsListed.class).stream()
                        .flatMap(event -> event.lines().stream())
                        .filter(line -> line.startsWith("precision: the weights of "))
                        .toList());
    }

    @Test
    void weightsAreRoundedAndWidenedWhenARunResumes() {
        List<Double> unbroken = run("unbroken", 9, "fp32", "zero1", 2).run().losses;
        run("run", 3, "fp32", "zero1", 2).run();

        SteeredRun without = run("run", 6, "none", "fsdp", 2).resume();
        assertTrue(
                conversions(without).endsWith("step-00000003 are FP32, and continue in BF16, rounded to nearest even"),
                conversions(without));
        SteeredRun with = run("run", 9, "fp32", "zero2", 1).resume();
        assertTrue(conversions(with).endsWith("step-00000006 are BF16, and continue in FP32"), conversions(with));

        // The first loss of each reads the same BF16 weights, or those of three stochastically rounded updates.
        assertEquals(unbroken.get(3), without.losses.getFirst(), 1e-4);
        assertEquals(unbroken.get(6), with.losses.getFirst(), 1e-2);
    }

    @Test
    void resumedRunWithoutMasterWeightsIsTheUnbrokenOne() {
        List<Double> unbroken = run("unbroken", 6, "none", "zero1", 2).run().losses;
        List<Double> losses = run("run", 3, "none", "zero1", 2).run().losses;
        SteeredRun resumed = run("run", 6, "none", "zero1", 2).resume();
        losses.addAll(resumed.losses);
        assertEquals(unbroken, losses);
        assertTrue(conversions(resumed).isEmpty(), conversions(resumed));
    }

    @Test
    void swapNamesTheRestartThatConverts() {
        SteeredRun run = run("run", 6, "fp32", "zero1", 1);
        var decision = run.change(3, "precision={name: bf16, options: {masterWeights: none}}");
        run.run();
        assertFalse(decision.join().granted());
        assertEquals(
                "precision: its parameters are BF16, but those of the run are FP32; stop it, and continue with the new precision and --resume, which"
                        + " converts weights between FP32 and BF16",
                decision.join().message());
    }
}
