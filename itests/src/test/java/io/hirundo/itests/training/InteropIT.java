package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import io.hirundo.lib.golden.ModelGolden;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Hirundo and the Transformers library, each with the other's folders: {@code mvn verify -P interop}. Skipped where Python has no such
 * library.
 */
@Tag("interop")
class InteropIT {
    private static final Path BUNDLES =
            Path.of("..", "bundles").toAbsolutePath().normalize();
    private static final int SEQUENCE_TOKENS = 12;
    private static final int GREEDY_TOKENS = 50;
    private static final String PROMPT = "zbQ4r";

    /** Losses of FP32 against FP64, relative. */
    private static final double CLOSE = 1e-6;

    private static final String CONFIGURATION = """
      schemaVersion: 1
      run: {name: again}
      model: {}
      training: {steps: 3, sequenceTokens: 12, microBatch: 4, globalBatch: 4}
      learningRate: {name: constant, options: {peak: 1.0e-2}}
      data:
        source: {name: indexed, options: {blend: [{prefix: tokens, weight: 1}]}}
        tokenizer: {name: huggingface, options: {file: tokenizer}}
      checkpoint: {strategy: null, atEnd: false}
      """;

    @TempDir
    private Path folder;

    @BeforeAll
    static void needTheLibrary() throws Exception {
        TransformersLibrary.assumeThere(InteropIT.class);
    }

    static List<ModelGolden> goldens() {
        return Stream.of("model-llama", "model-qwen", "model-gemma2")
                .flatMap(bundle -> ModelGolden.all(BUNDLES.resolve(bundle).resolve("src/test/resources")).stream())
                .toList();
    }

    @Test
    void theLibraryMakesTheSameGoldensAgain() throws Exception {
        String printed = TransformersLibrary.run("goldens.py", "check");
        goldens().forEach(golden -> assertTrue(printed.contains(golden.name() + ": same"), printed));
    }

    @Test
    void theLibraryCountsThePublishedParameters() throws Exception {
        assertFalse(TransformersLibrary.run("sizes.py", "check").isBlank());
    }

    /** Starts from the library's folder, trains, exports. Hirundo and the library then have the same losses and the same greedy text. */
    @ParameterizedTest
    @MethodSource("goldens")
    void theLibraryComputesTheSameWithAnExportedModel(ModelGolden golden) throws Exception {
        int vocabulary = Math.toIntExact(
                golden.weights().get("model.embed_tokens.weight").shape().dim(0));
        TransformersLibrary.run("exported.py", "prepare", String.valueOf(vocabulary), folder.toString());
        Program program = Program.installed(folder);
        Files.writeString(folder.resolve("run.yaml"), CONFIGURATION);
        var train = new ArrayList<>(List.of("train", "run.yaml"));
        train.addAll(TinyTraining.set(TinyTraining.REFERENCE_KERNELS));
        train.addAll(TinyTraining.set(List.of("model.from=" + golden.model(), "model.exportDtype=fp32")));
        succeed(program, train.toArray(String[]::new));

        Path exported = folder.resolve("runs/again/model");
        List<JsonNode> theirs = measured(golden.model(), exported);
        assertSameLoss(program, golden.model(), theirs.getFirst());
        assertSameLoss(program, exported, theirs.getLast());
        assertTrue(
                theirs.getLast().get("loss").asDouble()
                        < 0.95 * theirs.getFirst().get("loss").asDouble(),
                () -> "training hardly changed the model: " + theirs);
        Program.Result generated = succeed(
                program,
                "generate",
                "--model",
                exported.toString(),
                "--prompt",
                PROMPT,
                "--temperature",
                "0",
                "--max-tokens",
                String.valueOf(GREEDY_TOKENS));
        assertEquals(theirs.getLast().get("text").asText(), generated.out().strip());
    }

    private static void assertSameLoss(Program program, Path model, JsonNode theirs) throws Exception {
        Program.Result result = succeed(
                program,
                "eval",
                "--model",
                model.toString(),
                "--data",
                "tokens",
                "--sequence",
                String.valueOf(SEQUENCE_TOKENS),
                "--json");
        JsonNode ours = new ObjectMapper().readTree(result.out());
        assertEquals(theirs.get("tokens").asLong(), ours.get("tokens").asLong());
        double loss = theirs.get("loss").asDouble();
        assertEquals(loss, ours.get("meanLoss").asDouble(), CLOSE * loss, model::toString);
    }

    /** By the library: loss and greedy text of each model. */
    private List<JsonNode> measured(Path... models) throws Exception {
        var arguments = new ArrayList<>(List.of(
                "measure", folder.toString(), String.valueOf(SEQUENCE_TOKENS), PROMPT, String.valueOf(GREEDY_TOKENS)));
        Stream.of(models).map(Path::toString).forEach(arguments::add);
        var measured = new ArrayList<JsonNode>();
        for (String line : TransformersLibrary.run("exported.py", arguments.toArray(String[]::new))
                .lines()
                .toList()) {
            if (line.startsWith("{")) {
                measured.add(new ObjectMapper().readTree(line));
            }
        }
        assertEquals(models.length, measured.size());
        return measured;
    }

    private static Program.Result succeed(Program program, String... arguments) throws Exception {
        Program.Result result = program.run(arguments);
        assertEquals(0, result.exitCode(), result::toString);
        return result;
    }
}
