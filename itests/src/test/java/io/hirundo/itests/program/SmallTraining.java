package io.hirundo.itests.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Trainings with the configuration of quickstart, on a small dataset, with a small model and reference kernels: for tests that need a
 * tokenizer, validation and an exported model.
 */
public final class SmallTraining {
    private static final int VOCABULARY = 512;

    private static final List<String> SIZES = List.of(
            "model.architecture.options.vocabSize=" + VOCABULARY,
            "model.architecture.options.hiddenSize=32",
            "model.architecture.options.intermediateSize=48",
            "model.architecture.options.numHiddenLayers=2",
            "model.architecture.options.numAttentionHeads=4",
            "training.sequenceTokens=16",
            "training.microBatch=2",
            "training.globalBatch=4",
            "evaluation.samples=4");

    private final Path home;
    private final Path tokenizer;
    private final Path dataset;

    private SmallTraining(Path home, Path tokenizer, Path dataset) {
        this.home = home;
        this.tokenizer = tokenizer;
        this.dataset = dataset;
    }

    /** Makes a tokenizer and a dataset in the program's folder. */
    public static SmallTraining prepare(Program program) throws Exception {
        String texts = SampleTexts.write(program.folder()).toString();
        Path tokenizer = program.folder().resolve("tokenizer");
        Path dataset = program.folder().resolve("dataset");
        succeed(
                "data",
                "train-tokenizer",
                "--data",
                texts,
                "--out",
                tokenizer.toString(),
                "--vocab",
                String.valueOf(VOCABULARY));
        succeed("data", "tokenize", "--tokenizer", tokenizer.toString(), "--data", texts, "--out", dataset.toString());
        return new SmallTraining(program.home(), tokenizer, dataset);
    }

    private static void succeed(String... arguments) throws Exception {
        Program.Result result = InProcess.command(arguments);
        assertEquals(0, result.exitCode(), result::toString);
    }

    /**
     * The arguments of the program, for a run called {@code name}.
     *
     * @param more assignments
     */
    public List<String> arguments(String name, List<String> more) {
        var arguments = new ArrayList<>(
                List.of("train", home.resolve("conf").resolve("quickstart.yaml").toString()));
        arguments.addAll(TinyTraining.set(List.of(
                "run.name=" + name,
                "data.source.options.blend[0].prefix=" + dataset,
                "data.tokenizer.options.file=" + tokenizer,
                "learningRate.options.warmupSteps=1")));
        arguments.addAll(TinyTraining.set(SIZES));
        arguments.addAll(TinyTraining.set(TinyTraining.REFERENCE_KERNELS));
        arguments.addAll(TinyTraining.set(more));
        return arguments;
    }
}
