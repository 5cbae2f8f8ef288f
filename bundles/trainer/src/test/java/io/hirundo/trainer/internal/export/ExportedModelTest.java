package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.checkpointhf.internal.format.HuggingFaceFactory;
import io.hirundo.checkpointhf.internal.format.HuggingFaceOptions;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.Tokenizer;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticOptions;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.ToyTokenizer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files in the folder of an exported model. */
class ExportedModelTest {
    private static final HuggingFaceFactory FORMAT = new HuggingFaceFactory(List.of(new LlamaFactory()));
    private static final String NORM = "model.norm.weight";

    @TempDir
    private Path folder;

    private SteeredRun run(Path from, Map<String, ?> modelSettings) {
        var run = new SteeredRun(folder).model(FORMAT.create(new HuggingFaceOptions()), from, 0.05);
        var tokenizer = new ToyTokenizer(96);
        tokenizer.begin = OptionalInt.of(94);
        tokenizer.end = OptionalInt.of(95);
        run.catalog.add("tokenizer", "toy", new Fixed<>(Tokenizer.class, tokenizer));
        run.with("training", Map.of("steps", 2, "sequenceTokens", 16, "globalBatch", 4));
        run.with(
                "data",
                Map.of(
                        "source",
                        Map.of("name", "synthetic", "options", Map.of("vocabulary", 96)),
                        "tokenizer",
                        Map.of("name", "toy"),
                        "license",
                        "cc0-1.0"));
        @SuppressWarnings("unchecked")
        var model = new HashMap<>((Map<String, Object>) run.document.get("model"));
        model.putAll(modelSettings);
        return run.with("model", model);
    }

    private Path model() {
        return folder.resolve("steered/model");
    }

    private static JsonNode json(Path file) throws IOException {
        return new ObjectMapper().readTree(Files.readAllBytes(file));
    }

    @Test
    void containsTheEndTokenAndTheTrainingFacts() throws IOException {
        run(null, Map.of("license", "apache-2.0")).run();
        for (String file : List.of("config.json", "generation_config.json")) {
            assertEquals(94, json(model().resolve(file)).path("bos_token_id").intValue(), file);
            assertEquals(95, json(model().resolve(file)).path("eos_token_id").intValue(), file);
        }
        String card = Files.readString(model().resolve("README.md"));
        assertTrue(card.contains("license: \"apache-2.0\"\n"), card);
        assertTrue(card.contains("| Training data | cc0-1.0 |\n"), card);
        assertTrue(card.contains("| Steps | 2 |\n"), card);
        assertTrue(card.contains("| Tokens | 128 |\n"), card);
        assertFalse(card.contains(folder.toString()), card);
    }

    @Test
    void inheritsTheLicenseOfTheData() throws IOException {
        var run = run(null, Map.of());
        run.catalog.add("data", "licensed", new LicensedData());
        run.with("data", Map.of("source", Map.of("name", "licensed", "options", Map.of("vocabulary", 96))))
                .run();
        String card = Files.readString(model().resolve("README.md"));
        assertTrue(card.contains("| Training data | cc-by-4.0 |\n"), card);
    }

    private static final class LicensedData implements StrategyFactory<SyntheticOptions, DataSource> {
        @Override
        public DataSource create(SyntheticOptions options) {
            DataSource source = new SyntheticFactory().create(options);
            return new DataSource() {
                @Override
                public SampleSet open(SampleRequest request) {
                    return source.open(request);
                }

                @Override
                public Optional<String> license() {
                    return Optional.of("cc-by-4.0");
                }
            };
        }
    }

    @Test
    void keepsIdsAndLicenseOfTheModelThatItStartedFrom() throws IOException {
        run(null, Map.of()).run();
        Path base = Files.move(model(), folder.resolve("base"));
        Files.writeString(base.resolve("generation_config.json"), "{\"eos_token_id\": [7, 9], \"temperature\": 0.6}");
        Files.writeString(base.resolve("README.md"), "---\nlicense: mit\n---\n");
        run(base, Map.of())
                .with("run", Map.of("name", "second", "directory", folder.toString()))
                .run();
        Path model = folder.resolve("second/model");
        JsonNode generation = json(model.resolve("generation_config.json"));
        // And what ends the documents of this training.
        assertEquals("[7,9,95]", generation.path("eos_token_id").toString());
        assertEquals(0.6, generation.path("temperature").doubleValue());
        assertEquals(94, generation.path("bos_token_id").intValue());
        String card = Files.readString(model.resolve("README.md"));
        assertTrue(card.contains("license: \"mit\"\n") && card.contains("starting from base."), card);
    }

    @ParameterizedTest
    @CsvSource({"fp32, auto, float32", "fp32, bf16, bfloat16", "bf16, auto, bfloat16", "bf16, fp32, float32"})
    void exportsInTheChosenType(String precision, String dtype, String stored) throws IOException {
        run(null, Map.of("exportDtype", dtype))
                .with("precision", Map.of("name", precision))
                .run();
        assertEquals(
                stored, json(model().resolve("config.json")).path("torch_dtype").textValue());
    }

    /** The Hugging Face format without support for BF16. */
    private record NoBf16(ModelFormat format) implements ModelFormat {
        @Override
        public ModelReader open(Path directory) {
            return format.open(directory);
        }

        @Override
        public void write(Path directory, Choice architecture, List<ModelPart> parts) {
            format.write(directory, architecture, parts);
        }

        @Override
        public Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
            if (tensors.stream().anyMatch(tensor -> tensor.dtype() == DType.BF16)) {
                throw new ConfigurationException("model.exportDtype: this format has no bf16");
            }
            return format.beginWrite(directory, architecture, tensors);
        }
    }

    private SteeredRun withoutBf16(String dtype) {
        var run = run(null, Map.of("exportDtype", dtype, "format", "no-bf16"));
        run.catalog.add(
                "model-format",
                "no-bf16",
                new Fixed<>(ModelFormat.class, new NoBf16(FORMAT.create(new HuggingFaceOptions()))));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run;
    }

    @Test
    void rejectsATypeThatTheFormatCannotWriteBeforeTheFirstStep() {
        var run = withoutBf16("bf16");
        var failure = assertThrows(ConfigurationException.class, run::run);
        assertEquals("model.exportDtype: this format has no bf16", failure.getMessage());
        assertEquals(List.of(), run.losses);
    }

    @Test
    void rejectsAChangeToAPrecisionWhoseModelTheFormatCannotWrite() {
        var run = withoutBf16("auto").with("training", Map.of("steps", 4, "sequenceTokens", 16, "globalBatch", 4));
        var decision = run.change(1, "precision=bf16");
        run.run();
        assertFalse(decision.join().granted());
        assertTrue(
                decision.join().message().contains("model.exportDtype: this format has no bf16"),
                decision.join().message());
        assertEquals(4, run.losses.size());
    }

    @Test
    void roundsToNearestEvenAndConvertsCheckpointsInTheSameWay() throws IOException {
        var run = run(null, Map.of("exportDtype", "fp32"));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.with("checkpoint", Map.of("strategy", Map.of("name", "sync"))).run();
        float[] exact = norm(model());
        var rounded = run(null, Map.of("exportDtype", "bf16"));
        rounded.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        rounded.with("checkpoint", Map.of("strategy", Map.of("name", "sync")));
        Path converted = folder.resolve("converted");
        new CheckpointExport(rounded.catalog, rounded.configuration())
                .write(folder.resolve("steered/checkpoints/step-00000002"), converted);
        assertEquals(
                "bfloat16",
                json(converted.resolve("config.json")).path("torch_dtype").textValue());
        assertEquals(
                95,
                json(converted.resolve("generation_config.json"))
                        .path("eos_token_id")
                        .intValue());
        float[] narrow = norm(converted);
        boolean differs = false;
        for (int i = 0; i < exact.length; i++) {
            int bits = Float.floatToRawIntBits(exact[i]);
            int nearest = bits + 0x7FFF + (bits >>> 16 & 1) & 0xFFFF0000;
            assertEquals(Float.intBitsToFloat(nearest), narrow[i]);
            differs |= narrow[i] != exact[i];
        }
        assertTrue(differs);
    }

    private static float[] norm(Path model) {
        try (var reader = FORMAT.create(new HuggingFaceOptions()).open(model);
                Arena arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(4 * 32, 64);
            reader.read(ParameterPart.whole(NORM, Shape.of(32)), DType.FP32, values);
            return values.toArray(ValueLayout.JAVA_FLOAT);
        }
    }
}
