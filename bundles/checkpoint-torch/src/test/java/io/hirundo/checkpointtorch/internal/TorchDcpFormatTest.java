package io.hirundo.checkpointtorch.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointtorch.internal.model.TorchDcpOptions;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.OptionsRecord;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.modelllama.internal.LlamaRopeScaling;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TorchDcpFormatTest {
    private static final LlamaOptions OPTIONS =
            new LlamaOptions(35, 16, 20, 2, 2, 1, 8, 64, 1e-5, 10000, null, false, 0.02, false, false, 0);
    private static final Choice CHOICE = new Choice("llama", OptionsRecord.values(OPTIONS));
    private static final int[] TOKENS = {3, 17, 34, 0, 17, 8};

    @TempDir
    private Path folder;

    /** Meta's definition, computed by PyTorch; from the tensors as they are stored, and as they are read. */
    @Test
    void matchesPyTorchsLogits() throws IOException {
        double[][] expected = Files.readAllLines(Golden.FOLDER.resolve("torchtitan-logits.txt")).stream()
                .map(line -> Arrays.stream(line.split(" "))
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                .toArray(double[][]::new);
        try (ModelReader reader = Golden.open("torchtitan")) {
            double[][] stored = reader.referenceLogits(TOKENS).orElseThrow();
            double[][] read = published(reader);
            for (int position = 0; position < TOKENS.length; position++) {
                assertArrayEquals(expected[position], stored[position], 1e-12);
                assertArrayEquals(expected[position], read[position], 1e-12);
            }
        }
    }

    /** Logits by Hugging Face's definition, from the tensors as they are read. */
    private static double[][] published(ModelReader reader) {
        Map<String, Shape> shapes = Golden.shapes(CHOICE);
        StoredValues values = (name, first, count) -> {
            ParameterPart whole = ParameterPart.whole(name, shapes.get(name));
            return Golden.read(reader, whole.narrow(0, first, count));
        };
        var huggingFace = new LlamaFactory()
                .formats().stream()
                        .filter(each -> each.format().equals(FamilyFormat.HUGGING_FACE))
                        .findFirst()
                        .orElseThrow();
        return huggingFace.referenceLogits(OPTIONS, values, TOKENS);
    }

    @Test
    void derivesTheArchitectureFromShapesAndOptionsOrConfigJson() throws IOException {
        try (ModelReader reader = Golden.open("torchtitan")) {
            assertEquals(CHOICE, reader.architecture());
        }
        Path described = Golden.copy("huggingface", folder.resolve("described"));
        Files.writeString(described.resolve("config.json"), Golden.CONFIG);
        try (ModelReader reader = new TorchDcpFactory(Golden.FAMILIES)
                .create(new TorchDcpOptions())
                .open(described)) {
            assertEquals(CHOICE, reader.architecture());
        }
        rejects(Golden.OPTIONS, described, "config.json describes the model; remove it");
    }

    @Test
    void listsMissingOptions() {
        Path titan = Golden.FOLDER.resolve("torchtitan");
        rejects(
                new TorchDcpOptions(null, Choice.of("llama")),
                titan,
                "options: numAttentionHeads, maxPositionEmbeddings, rmsNormEps, ropeTheta are missing: ");
        rejects(
                new TorchDcpOptions(
                        null,
                        new Choice(
                                "llama",
                                Map.of("numAttentionHeads", 2, "maxPositionEmbeddings", 64, "ropeTheta", 1e4))),
                titan,
                "options: rmsNormEps is missing: ");
        rejects(Golden.options(3, 1e-5, Map.of()), titan, "numAttentionHeads is 3, which does not fit queries of 16");
        rejects(Golden.options(2, 0, Map.of()), titan, "'rmsNormEps': 0.0 is wrong (allowed: a number above 0)");
    }

    /** Shapes and options could contradict each other. */
    @Test
    void rejectsOptionsThatShapesShowOrTheFormatLacks() {
        Path titan = Golden.FOLDER.resolve("torchtitan");
        String path = "model.format.options.architecture.options.";
        rejects(
                Golden.options(2, 1e-5, Map.of("hiddenSize", 16)),
                titan,
                path + "hiddenSize: is derived from the shapes of the tensors; remove it");
        rejects(
                Golden.options(2, 1e-5, Map.of("slidingWindow", 16)),
                titan,
                path
                        + "slidingWindow: is not supported without a config.json; remove it, or copy the model's config.json to the folder of model.format torch-dcp: "
                        + titan);
        rejects(
                Golden.options(2, 1e-5, Map.of("hiddenSzie", 16)),
                titan,
                path
                        + "hiddenSzie: unknown key (allowed: numAttentionHeads, maxPositionEmbeddings, rmsNormEps, ropeTheta, ropeScaling)");
    }

    @Test
    void scalingOfRotaryFrequenciesIsAnOptionOfTheArchitecture() {
        Map<String, Object> scaling =
                Map.of("factor", 4, "lowFreqFactor", 1, "highFreqFactor", 3, "originalMaxPositionEmbeddings", 32);
        var format =
                new TorchDcpFactory(Golden.FAMILIES).create(Golden.options(2, 1e-5, Map.of("ropeScaling", scaling)));
        try (ModelReader reader = format.open(Golden.FOLDER.resolve("torchtitan"))) {
            assertEquals(
                    OptionsRecord.values(new LlamaRopeScaling(4, 1, 3, 32)),
                    reader.architecture().options().get("ropeScaling"));
        }
    }

    /** A Mistral with a window has the tensors of a Llama, and would compute something else. */
    @Test
    void tensorsAloneTellNoFamily() {
        Path titan = Golden.FOLDER.resolve("torchtitan");
        rejects(
                new TorchDcpOptions(),
                titan,
                "model.format.options.architecture is not set, and " + titan
                        + " has no config.json; copy the model's config.json there, or set it (allowed: llama)");
        rejects(
                new TorchDcpOptions(null, Choice.of("mistral")),
                titan,
                "model.format.options.architecture: \"mistral\" is no installed family with such names of tensors (allowed: llama); set one of these, or copy the"
                        + " model's config.json to " + titan);
    }

    private static void rejects(TorchDcpOptions options, Path folder, String message) {
        var format = new TorchDcpFactory(Golden.FAMILIES).create(options);
        var rejection = assertThrows(ConfigurationException.class, () -> format.open(folder));
        assertTrue(rejection.getMessage().contains(message), rejection.getMessage());
    }

    @Test
    void rejectsExport() {
        var format = new TorchDcpFactory(Golden.FAMILIES).create(Golden.OPTIONS);
        assertFalse(format.isWritable());
        var rejection = assertThrows(ConfigurationException.class, () -> format.write(folder, CHOICE, List.of()));
        assertEquals(
                "model.format: torch-dcp only reads; set model.exportFormat to huggingface, whose safetensors PyTorch reads too, or"
                        + " model.export to false",
                rejection.getMessage());
    }
}
