package io.hirundo.checkpointhf.internal.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsLayout;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders whose files are sound and do not belong together. */
class ModelRejectionTest {
    private static final String NORM = "model.layers.1.input_layernorm.weight";

    @TempDir
    Path folder;

    private final HuggingFaceFormat format = new HuggingFaceFormat(Long.MAX_VALUE, () -> TinyLlama.FAMILIES);
    private Path model;

    @BeforeEach
    void writeModel() {
        model = folder.resolve("model");
        format.write(model, TinyLlama.architecture(false), TinyLlama.parts(false, DType.FP32));
    }

    @Test
    void namesAMissingTensor() throws IOException {
        rewrite(parts -> parts.removeIf(part -> part.path().equals(NORM)));
        rejects("tensor '" + NORM + "' is missing");
        rewrite(parts -> parts.removeIf(part -> part.path().contains("layers.1")));
        rejects("and 6 more are missing");
        rewrite(parts -> parts.removeIf(part -> part.path().equals(TinyLlama.HEAD)));
        rejects("set tie_word_embeddings to true");
    }

    @Test
    void namesAnExtraTensor() throws IOException {
        rewrite(parts -> parts.add(TinyLlama.part("model.layers.2.input_layernorm.weight", Shape.of(12), DType.FP32)));
        rejects(
                "tensor 'model.layers.2.input_layernorm.weight' is there, which a model of this config.json does not have");
        rewrite(parts -> parts.add(TinyLlama.part("model.layers.0.self_attn.q_proj.bias", Shape.of(12), DType.FP32)));
        rejects("q_proj.bias");
    }

    @Test
    void acceptsStoredFrequenciesOfOldModels() throws IOException {
        String name = "model.layers.0.self_attn.rotary_emb.inv_freq";
        rewrite(parts -> parts.add(TinyLlama.part(name, Shape.of(2), DType.FP32)));
        try (ModelReader reader = format.open(model)) {
            assertEquals(TinyLlama.shapes(false).keySet(), reader.paths());
        }
    }

    @Test
    void namesAWrongShape() throws IOException {
        rewrite(parts -> {
            parts.removeIf(part -> part.path().equals(NORM));
            parts.add(TinyLlama.part(NORM, Shape.of(13), DType.FP32));
        });
        rejects("model.safetensors: tensor '" + NORM + "' is [13], but config.json asks for [12]");
    }

    @Test
    void rejectsIntegerWeights() throws IOException {
        Path file = model.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(file);
        String text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
        int at = text.indexOf("F32", text.indexOf(NORM));
        bytes[at] = 'I';
        Files.write(file, bytes);
        rejects("tensor '" + NORM + "' is of I32");
    }

    @Test
    void acceptsAStoredTiedHeadThatEqualsTheEmbedding() throws IOException {
        setTied();
        rejects("tensor 'lm_head.weight' differs from 'model.embed_tokens.weight'");
        rewrite(parts -> {
            parts.removeIf(part -> part.path().equals(TinyLlama.HEAD));
            ModelPart embedding = parts.getFirst();
            parts.add(new ModelPart(TinyLlama.HEAD, embedding.shape(), embedding.dtype(), embedding.download()));
        });
        try (ModelReader reader = format.open(model)) {
            assertEquals(TinyLlama.shapes(true).keySet(), reader.paths());
        }
    }

    @Test
    void rejectsAnIndexThatDoesNotMatchItsFiles() throws IOException {
        format.write(model, TinyLlama.architecture(false), TinyLlama.parts(false, DType.FP32));
        var sharded = new HuggingFaceFormat(4000, () -> TinyLlama.FAMILIES);
        sharded.write(model, TinyLlama.architecture(false), TinyLlama.parts(false, DType.FP32));
        Path index = model.resolve("model.safetensors.index.json");
        String sound = Files.readString(index);
        String first = "model-00001-of-";
        String firstFile = sound.substring(sound.indexOf(first), sound.indexOf(".safetensors", sound.indexOf(first)));

        Path shard = model.resolve(firstFile + ".safetensors");
        Path aside = folder.resolve("aside");
        Files.move(shard, aside);
        rejects("names " + firstFile + ".safetensors, which is missing");
        Files.move(aside, shard);

        Files.writeString(
                index,
                sound.replaceFirst(
                        "\"model.norm.weight\" : \"[^\"]*\"",
                        "\"model.norm.weight\" : \"" + firstFile + ".safetensors\""));
        rejects("'model.norm.weight' should be in " + firstFile);
        Files.writeString(index, sound.replace(firstFile, "../" + firstFile));
        rejects("(allowed: the name of a safetensors file in this folder)");
        Files.writeString(index, "{}");
        rejects("field weight_map is missing");

        Files.writeString(index, sound);
        Path last = model.resolve(
                sound.substring(sound.lastIndexOf("model-"), sound.lastIndexOf(".safetensors")) + ".safetensors");
        Files.copy(shard, last, StandardCopyOption.REPLACE_EXISTING);
        rejects("too; remove one of them");
    }

    @Test
    void rejectsAFolderWithoutWeights() throws IOException {
        Files.delete(model.resolve("model.safetensors"));
        rejects("neither model.safetensors nor model.safetensors.index.json");
        Files.delete(model.resolve("config.json"));
        rejects("config.json is missing");
    }

    private void rewrite(Consumer<List<ModelPart>> change) throws IOException {
        var parts = new ArrayList<>(TinyLlama.parts(false, DType.FP32));
        change.accept(parts);
        Path file = model.resolve("model.safetensors");
        var tensors = parts.stream()
                .map(part -> new ModelTensor(part.path(), part.shape(), part.dtype()))
                .toList();
        var layout = new SafetensorsLayout(tensors);
        byte[] bytes = Arrays.copyOf(layout.header(), Math.toIntExact(layout.byteSize()));
        try (Arena arena = Arena.ofConfined()) {
            for (ModelPart part : parts) {
                MemorySegment host = arena.allocate(part.shape().byteSize(part.dtype()), 8);
                part.download().accept(host);
                long position = layout.positions().get(part.path());
                MemorySegment.copy(host, 0, MemorySegment.ofArray(bytes), position, host.byteSize());
            }
        }
        Files.write(file, bytes);
    }

    private void setTied() throws IOException {
        Path file = model.resolve("config.json");
        ObjectNode config = (ObjectNode) Json.mapper().readTree(file.toFile());
        Files.writeString(file, config.put("tie_word_embeddings", true).toString());
    }

    private void rejects(String message) {
        var failure = assertThrows(DataException.class, () -> format.open(model).close());
        assertTrue(failure.getMessage().contains(model.toString()), failure.getMessage());
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
    }
}
