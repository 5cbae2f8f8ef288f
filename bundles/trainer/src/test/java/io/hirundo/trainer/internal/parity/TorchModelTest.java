package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.format.HuggingFaceFactory;
import io.hirundo.checkpointhf.internal.format.HuggingFaceOptions;
import io.hirundo.checkpointtorch.internal.TorchDcpFactory;
import io.hirundo.checkpointtorch.internal.model.TorchDcpOptions;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.inference.evaluation.ModelProbe;
import io.hirundo.lib.inference.stored.OpenModel;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.strategy.Leases;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelqwen.internal.QwenFactory;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training from a torch.distributed.checkpoint folder equals training from the same model as safetensors. */
class TorchModelTest {
    /** A sharded model under the names of torchtitan and of Hugging Face, and its values as text; created by make.py there. */
    private static final Path GOLDEN = Path.of("../checkpoint-torch/src/test/golden");

    private static final Map<String, Object> OPTIONS =
            Map.of("numAttentionHeads", 2, "maxPositionEmbeddings", 64, "rmsNormEps", 1e-5, "ropeTheta", 10000.0);
    private static final List<ModelFamily<?>> FAMILIES = List.of(new LlamaFactory());
    private static final ModelFormat SAFETENSORS = new HuggingFaceFactory(FAMILIES).create(new HuggingFaceOptions());

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"torchtitan", "huggingface"})
    void trainsEquallyFromBothFormats(String name) throws IOException {
        Path asSafetensors = safetensors(name);

        SteeredRun torch = from(GOLDEN.resolve(name), torchFormat(), "torch", Map.of("pipeline", 2, "data", 2));
        SteeredRun safetensors = from(asSafetensors, "huggingface", "safetensors", Map.of("pipeline", 2, "data", 2));
        torch.run();
        safetensors.run();

        assertEquals(SteeredRun.STEPS, torch.losses.size());
        assertEquals(safetensors.losses, torch.losses);
        var compared = torch.events(ModelCompared.class);
        assertEquals(GOLDEN.resolve(name), compared.getFirst().model());
        assertTrue(compared.getFirst().difference() < 1e-5, compared::toString);
        Path written = folder.resolve("torch/steered/model");
        assertEquals(written, compared.getLast().model());
        assertSameWeights(written, folder.resolve("safetensors/steered/model"));
    }

    /** As in {@code generate --format torch-dcp} and {@code eval}. */
    @Test
    void commandsOpenTheSameModel() throws IOException {
        Path described = folder.resolve("described");
        Files.createDirectory(described);
        for (String file : List.of(".metadata", "__0_0.distcp", "__1_0.distcp")) {
            Files.copy(GOLDEN.resolve("torchtitan").resolve(file), described.resolve(file));
        }
        Path safetensors = safetensors("torchtitan");
        Files.copy(safetensors.resolve("config.json"), described.resolve("config.json"));
        assertArrayEquals(losses(safetensors, "huggingface"), losses(described, "torch-dcp"));
    }

    private double[] losses(Path model, String format) {
        SteeredRun run = from(model, format, "unused", Map.of());
        var leases = Leases.begin(run.catalog);
        var cpu = new Choice("cpu", Map.of("workers", 1));
        try (RankModel opened = OpenModel.open(leases, model, Choice.of(format), cpu, Choice.of("fp32"))) {
            return ModelProbe.of(opened, 16).losses(opened);
        }
    }

    /** From the config.json of runs before {@code architecture}; 0 is what was not set. */
    @Test
    void bindsOptionsThatEarlierVersionsRecorded() throws IOException {
        String unset =
                "{\"numAttentionHeads\": 0, \"maxPositionEmbeddings\": 0, \"rmsNormEps\": 0.0, \"ropeTheta\": 0.0}";
        assertEquals(recorded("{}"), recorded(unset));
        String scaling =
                "{\"factor\": 8.0, \"lowFreqFactor\": 1.0, \"highFreqFactor\": 4.0, \"originalMaxPositionEmbeddings\": 8192}";
        String options =
                "\"numAttentionHeads\": 2, \"maxPositionEmbeddings\": 64, \"rmsNormEps\": 1.0E-5, \"ropeTheta\": 10000.0, \"ropeScaling\": "
                        + scaling;
        Choice present = recorded(
                "{\"prefix\": \"model.\", \"architecture\": {\"name\": \"llama\", \"options\": {" + options + "}}}");
        assertEquals(present, recorded("{\"prefix\": \"model.\", \"family\": \"llama\", " + options + "}"));
        rejectsKey("rmsNormEps", "{\"rmsNormEps\": 1.0E-5}");
        rejectsKey("ropeTheta", "{\"ropeTheta\": 0}");
        rejectsKey("family", "{\"family\": 3}");
        rejectsKey(
                "family",
                "{\"family\": \"gemma2\", \"architecture\": {\"name\": \"llama\", \"options\": {" + options + "}}}");
    }

    private void rejectsKey(String key, String options) {
        var failure = assertThrows(ConfigurationException.class, () -> recorded(options));
        assertTrue(failure.getMessage().contains("model.format.options." + key + ": unknown key"), failure::getMessage);
    }

    /** Binds a config.json with these options of the format. */
    private Choice recorded(String options) throws IOException {
        SteeredRun run = from(GOLDEN.resolve("torchtitan"), "torch-dcp", "recorded", Map.of());
        run.document.put("checkpoint", Collections.singletonMap("strategy", null));
        String text = ConfigurationBinder.json(new ConfigurationBinder(run.catalog).bind(run.document));
        String format = "\"format\": \"torch-dcp\"";
        assertTrue(text.contains(format), text);
        Path file = folder.resolve("config.json");
        Files.writeString(
                file, text.replace(format, "\"format\": {\"name\": \"torch-dcp\", \"options\": " + options + "}"));
        return new ConfigurationBinder(run.catalog)
                .read(file, List.of())
                .model()
                .format();
    }

    @Test
    void rejectsAReadOnlyExportFormatBeforeTheFirstStep() {
        SteeredRun run = from(GOLDEN.resolve("torchtitan"), torchFormat(), "rejected", Map.of());
        run.with("model", Map.of("from", GOLDEN.resolve("torchtitan").toString(), "format", torchFormat()));

        var failure = assertThrows(ConfigurationException.class, run::run);

        assertEquals(
                "model.format: torch-dcp only reads; set model.exportFormat to huggingface, or model.export to false",
                failure.getMessage());
        assertEquals(List.of(), run.losses);
    }

    /** Defaults of the architecture's options, such as its number of heads, would hide that one is missing. */
    @Test
    void rejectsMissingOptionOfArchitecture() {
        Map<String, Object> options = new HashMap<>(OPTIONS);
        options.remove("numAttentionHeads");
        SteeredRun run = from(GOLDEN.resolve("torchtitan"), torchFormat(options), "missing", Map.of());

        var failure = assertThrows(ConfigurationException.class, run::run);

        assertTrue(failure.getMessage().contains("numAttentionHeads"), failure::getMessage);
        assertEquals(List.of(), run.losses);
    }

    @Test
    void rejectsFamilyThatCannotDeriveAModel() {
        var format = new TorchDcpFactory(List.of(new LlamaFactory(), new QwenFactory()))
                .create(new TorchDcpOptions(null, Choice.of("qwen")));

        var failure = assertThrows(ConfigurationException.class, () -> format.open(GOLDEN.resolve("huggingface")));

        assertEquals(
                "model.format.options.architecture: qwen cannot derive a model from shapes (allowed: llama); copy the model's config.json to "
                        + GOLDEN.resolve("huggingface"),
                failure.getMessage());
    }

    private static Map<String, Object> torchFormat() {
        return torchFormat(OPTIONS);
    }

    private static Map<String, Object> torchFormat(Map<String, Object> architecture) {
        return Map.of(
                "name",
                "torch-dcp",
                "options",
                Map.of("architecture", Map.of("name", "llama", "options", architecture)));
    }

    private SteeredRun from(Path model, Object format, String name, Map<String, ?> mesh) {
        var run = new SteeredRun(folder.resolve(name));
        run.catalog.add("model-format", "torch-dcp", new TorchDcpFactory(FAMILIES));
        run.catalog.add("model-format", "huggingface", new HuggingFaceFactory(FAMILIES));
        return run.with("mesh", mesh)
                .with(
                        "model",
                        Map.of(
                                "from",
                                model.toString(),
                                "format",
                                format,
                                "exportFormat",
                                "huggingface",
                                "parityTolerance",
                                1e-4))
                .with("data", Map.of("source", Map.of("name", "synthetic", "options", Map.of("vocabulary", 35))));
    }

    /** Written from the text, without the torch-dcp reader. */
    private Path safetensors(String name) throws IOException {
        Map<String, float[]> values = new HashMap<>();
        for (String line : Files.readAllLines(GOLDEN.resolve(name + ".txt"))) {
            String[] words = line.split(" ");
            float[] numbers = new float[words.length - 1];
            for (int index = 0; index < numbers.length; index++) {
                numbers[index] = Integer.parseInt(words[index + 1]) / 4096f;
            }
            values.put(words[0], numbers);
        }
        var architecture = new HashMap<>(OPTIONS);
        architecture.putAll(Map.of(
                "vocabSize",
                35,
                "hiddenSize",
                16,
                "intermediateSize",
                20,
                "numHiddenLayers",
                2,
                "numKeyValueHeads",
                1,
                "headDim",
                8));
        var choice = new Choice("llama", architecture);
        List<ModelPart> parts = new ArrayList<>();
        FamilyModel.of(FAMILIES, FamilyFormat.HUGGING_FACE, choice)
                .shapes()
                .forEach((path, shape) -> parts.add(new ModelPart(
                        path, shape, DType.FP32, host -> host.copyFrom(MemorySegment.ofArray(values.get(path))))));
        Path directory = folder.resolve(name);
        SAFETENSORS.write(directory, choice, parts);
        return directory;
    }

    private static void assertSameWeights(Path one, Path other) {
        try (ModelReader first = SAFETENSORS.open(one);
                ModelReader second = SAFETENSORS.open(other)) {
            FamilyModel.of(FAMILIES, FamilyFormat.HUGGING_FACE, first.architecture())
                    .shapes()
                    .forEach((path, shape) -> assertEquals(bits(second, path, shape), bits(first, path, shape), path));
        }
    }

    private static List<Integer> bits(ModelReader reader, String path, Shape shape) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(shape.byteSize(DType.FP32), 8);
            reader.read(ParameterPart.whole(path, shape), DType.FP32, host);
            return Arrays.stream(host.toArray(ValueLayout.JAVA_INT)).boxed().toList();
        }
    }
}
