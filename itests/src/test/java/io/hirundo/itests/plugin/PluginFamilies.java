package io.hirundo.itests.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.Steered;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of model families in plugins, the new project's and one of a third party. {@link PluginNewIT} runs them, because it has them built. */
abstract class PluginFamilies {
    /** Steps until a checkpoint, and in all after a resume. */
    private static final int STEPS = 3;

    private static final int RESUMED_STEPS = 5;

    private final BuiltPlugins plugins;

    @TempDir
    private Path folder;

    PluginFamilies(BuiltPlugins plugins) {
        this.plugins = plugins;
    }

    @Test
    void familyTrainsResumesExportsAndSwapsPrecision() throws Exception {
        Path runs = folder.resolve("runs");
        List<Double> alone =
                trainAloneAndIn(List.of("mesh.tensor=2", "mesh.pipeline=2", "mesh.schedule=acme-schedule"));
        resumeInAnotherLayout(alone);

        Path exported = runs.resolve("layout/model");
        String[] imported = BuiltPlugins.tiny(
                "train",
                List.of(
                        "run.name=imported",
                        "model.architecture=null",
                        "model.from=" + exported,
                        "model.format=huggingface",
                        "training.sequenceTokens=16",
                        "training.globalBatch=4",
                        "training.steps=100000"));
        try (Steered run =
                new Steered(plugins.programIn(folder), List.of(), runs.resolve("imported"), List.of(imported))) {
            run.awaitSteps(2);
            assertTrue(run.ask("swap precision bf16").matches("(?s).*precision: \"fp32\" to .*\"bf16\".*"));
            run.awaitSteps(2);
            Program.Result ended = run.stop();
            assertEquals(130, ended.exitCode(), ended::toString);
            double first = run.metrics().losses().getFirst();
            assertTrue(
                    first < alone.getFirst() - 0.1,
                    () -> first + ": the first batch again, with the weights that were trained on it");
        }
    }

    @Test
    @Tag("matrix")
    void modelFamilyTrainsInALayoutOfThreeAxes() throws Exception {
        trainAloneAndIn(List.of("mesh.tensor=2", "mesh.pipeline=2", "mesh.data=2"));
    }

    /** Plans the layout, and trains on one rank and in it, with the same losses. Returns these. */
    private List<Double> trainAloneAndIn(List<String> layout) throws Exception {
        plugins.succeed(family("plan", "plan", layout));

        plugins.succeed(family("train", "alone", List.of(), "training.steps=" + RESUMED_STEPS));
        plugins.succeed(family(
                "train",
                "layout",
                layout,
                "training.steps=" + STEPS,
                "model.export=true",
                "checkpoint.strategy=dcp-async",
                "checkpoint.atEnd=true"));
        Path runs = folder.resolve("runs");
        List<Double> alone = Metrics.of(runs.resolve("alone")).losses();
        List<Double> split = Metrics.of(runs.resolve("layout")).losses();
        assertEquals(STEPS, split.size());
        for (int step = 0; step < STEPS; step++) {
            assertEquals(alone.get(step), split.get(step), 1e-5, "loss of step " + (step + 1));
        }
        return alone;
    }

    /** From the checkpoint of the run {@code layout}; the steps after it have the losses of one rank that never stopped. */
    private void resumeInAnotherLayout(List<Double> alone) throws Exception {
        Path run = folder.resolve("runs/layout");
        plugins.succeed(
                "train",
                run.resolve("config.json").toString(),
                "--resume",
                "--lr-schedule",
                "stretch",
                "--set",
                "training.steps=" + RESUMED_STEPS,
                "--set",
                "mesh.tensorParallel=acme-tensor-parallel",
                "--set",
                "mesh.pipeline=1",
                "--set",
                "mesh.context=2",
                "--set",
                "mesh.contextParallel=acme-context-parallel");
        List<Double> losses = Metrics.of(run).losses();
        assertEquals(RESUMED_STEPS, losses.size());
        for (int step = STEPS; step < RESUMED_STEPS; step++) {
            assertEquals(alone.get(step), losses.get(step), 1e-5, "loss of step " + (step + 1) + ", after the resume");
        }
    }

    /** Its blocks and one kind of layer are its own; what it computes is tested in the project. */
    @Test
    void familyWithLayersOfItsOwnTrainsInLayoutsThatItsLayersSupport() throws Exception {
        String model = "model.from="
                + BuiltPlugins.OLMO2_SOURCES
                        .resolve("test/resources/golden/olmo2-tied-bf16/model")
                        .toAbsolutePath();
        Function<List<String>, String[]> olmo2 = mesh -> BuiltPlugins.tiny(
                "train",
                mesh,
                runs(),
                "model.architecture=null",
                "model.format=huggingface",
                model,
                "data.source.options.vocabulary=63",
                "training.steps=2");
        Program.Result rejected = plugins.run(olmo2.apply(List.of("mesh.tensor=3")));
        assertEquals(78, rejected.exitCode(), rejected::toString);
        String reason =
                "mesh.tensor is 3, but no provider splits layer model.layers.0.self_attn.q_norm.weight of kind Olmo2RowNorm";
        assertTrue(rejected.err().contains(reason), rejected::toString);

        Program.Result trained = plugins.succeed(olmo2.apply(List.of("mesh.pipeline=2", "mesh.data=2")));
        assertTrue(trained.out().contains("parity check passed"), trained::toString);
    }

    private String runs() {
        return "run.directory=" + folder.resolve("runs");
    }

    /** A command for a tiny model of the new project's family, with two or more microbatches for each data rank. */
    private String[] family(String command, String run, List<String> mesh, String... more) {
        List<String> assignments = new ArrayList<>(
                List.of(
                        runs(),
                        "run.name=" + run,
                        "training.sequenceTokens=16",
                        "training.globalBatch=4",
                        "model.format=huggingface",
                        "model.architecture={name: acme-model, options: {vocabSize: 256, hiddenSize: 32, intermediateSize: 48,"
                                + " numHiddenLayers: 2, numAttentionHeads: 4, numKeyValueHeads: 2, maxPositionEmbeddings: 64}}"));
        assignments.addAll(mesh);
        return BuiltPlugins.tiny(command, assignments, more);
    }
}
