package io.hirundo.checkpointhf.internal.description;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelDescription;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.checkpointhf.internal.format.HuggingFaceFormat;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of a model's folder other than its weights. */
class DescriptionFilesTest {
    private static final HuggingFaceFormat FORMAT = new HuggingFaceFormat(1_000_000, () -> TinyLlama.FAMILIES);

    @TempDir
    private Path folder;

    private static ModelDescription description(ModelNotes notes) {
        return new ModelDescription(
                "my-run",
                notes,
                Optional.of("base"),
                Optional.of("cc-by-4.0"),
                new LinkedHashMap<>(Map.of("Steps", "7")));
    }

    private Path write(ModelNotes notes) {
        Path model = folder.resolve("model");
        FORMAT.write(
                model,
                TinyLlama.architecture(true),
                TinyLlama.parts(true, DType.BF16),
                written -> FORMAT.describe(written.folder().orElseThrow(), description(notes)));
        return model;
    }

    private static ModelNotes ids(int begin, Integer... end) {
        return new ModelNotes(OptionalInt.of(begin), List.of(end), Map.of(), Optional.empty(), Optional.empty());
    }

    private static JsonNode json(Path file) {
        return Json.mapper().valueToTree(Json.readValues(file));
    }

    @Test
    void writesIdsOfTheTokenizer() {
        Path model = write(ModelNotes.NONE.withIds(OptionalInt.of(3), OptionalInt.of(4)));
        for (String file : List.of("config.json", "generation_config.json")) {
            assertEquals(3, json(model.resolve(file)).path("bos_token_id").intValue(), file);
            assertEquals(4, json(model.resolve(file)).path("eos_token_id").intValue(), file);
        }
        try (ModelReader reader = FORMAT.open(model)) {
            assertEquals(TinyLlama.architecture(true), reader.architecture());
            assertEquals(OptionalInt.of(3), reader.notes().beginOfText());
            assertEquals(List.of(4), reader.notes().endOfText());
        }
    }

    @Test
    void explainsFailureWithoutClassNames() throws IOException {
        Path card = Files.createDirectory(folder.resolve("README.md"));
        var failure = assertThrows(
                StorageException.class, () -> DescriptionFiles.write(folder, description(ModelNotes.NONE)));
        assertEquals(
                "the model's description cannot be written to " + folder + ": " + card
                        + ": file exists; make room there",
                failure.getMessage());
    }

    @Test
    void writesNoGenerationSettingsWithoutIds() {
        Path model = write(ModelNotes.NONE);
        assertFalse(Files.exists(model.resolve("generation_config.json")));
        for (String id : List.of("bos_token_id", "eos_token_id", "pad_token_id")) {
            assertTrue(
                    json(model.resolve("config.json")).path(id).isNull(),
                    id + " that is left out is the one of the Transformers library's class");
        }
        assertTrue(Files.exists(model.resolve("README.md")));
    }

    @Test
    void keepsIdsThatTheFamilyWrites() throws IOException {
        JsonNode config =
                Json.mapper().readTree(ConfigText.of(Map.of("pad_token_id", 5, "eos_token_id", 6), DType.FP32));
        assertEquals(5, config.path("pad_token_id").intValue());
        assertEquals(6, config.path("eos_token_id").intValue());
        assertTrue(config.path("bos_token_id").isNull() && config.has("bos_token_id"), config::toString);
    }

    @Test
    void keepsSettingsOfTheModelThatItStartedFrom() throws IOException {
        Path base = write(ids(1, 2));
        Files.writeString(base.resolve("generation_config.json"), """
        {"bos_token_id": 128000, "eos_token_id": [128001, 128008, 128009], "temperature": 0.6, "top_p": 0.9, "pad_token_id": null}
        """);
        ModelNotes notes;
        try (ModelReader reader = FORMAT.open(base)) {
            notes = reader.notes().withIds(OptionalInt.of(7), OptionalInt.of(8));
        }
        assertEquals(List.of(128001, 128008, 128009), notes.endOfText());
        Path model = write(notes);
        JsonNode generation = json(model.resolve("generation_config.json"));
        assertEquals(
                "{\"bos_token_id\":128000,\"eos_token_id\":[128001,128008,128009],\"temperature\":0.6,\"top_p\":0.9,\"pad_token_id\":null}",
                generation.toString());
        assertEquals(
                "[128001,128008,128009]",
                json(model.resolve("config.json")).path("eos_token_id").toString());
        assertEquals(
                128000, json(model.resolve("config.json")).path("bos_token_id").intValue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"eos_token_id\": \"two\"}",
                "{\"eos_token_id\": [1, -2]}",
                "{\"bos_token_id\": 1.5}",
                "{\"eos_token_id\": 99999999999}",
                "[]",
                "{"
            })
    void rejectsGenerationSettingsThatAreDamaged(String text) throws IOException {
        Path base = write(ids(1, 2));
        Files.writeString(base.resolve("generation_config.json"), text);
        try (ModelReader reader = FORMAT.open(base)) {
            var e = assertThrows(DataException.class, reader::notes);
            assertTrue(e.getMessage().contains("generation_config.json"), e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "---|license: apache-2.0|---|# x; apache-2.0",
                "---|tags: [a]|license: 'llama3.1' # note|---; llama3.1",
                "---|license: \"mit\"|---; mit",
                "---|license: [mit, gpl]|---; ",
                "---|nested:|  license: mit|---; ",
                "license: mit; ",
                "text|---|license: mit|---; "
            })
    void readsLicenseOfModelCard(String card, String license) throws IOException {
        Path base = write(ids(1, 2));
        Files.writeString(base.resolve("README.md"), card.replace('|', '\n'));
        try (ModelReader reader = FORMAT.open(base)) {
            assertEquals(Optional.ofNullable(license), reader.notes().license());
        }
    }

    /** The Transformers library makes no embedding with a padding id that its vocabulary lacks. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "'', 3, 3",
                "'{}', 3, 3",
                "'{\"pad_token_id\": 4}', 3, 4",
                "'{\"pad_token_id\": null}', 3, 3",
                "'', -1, null",
                "'{\"pad_token_id\": -1}', null, null",
                "'', null, null",
                "'', 1000000, null"
            })
    void inheritsThePaddingIdThatTheVocabularyHas(String generation, Integer padding, Integer written)
            throws IOException {
        Path base = write(ids(1, 2));
        ObjectNode config = Json.mapper().valueToTree(Json.readValues(base.resolve("config.json")));
        Files.writeString(
                base.resolve("config.json"), config.put("pad_token_id", padding).toString());
        if (generation.isEmpty()) {
            Files.delete(base.resolve("generation_config.json"));
        } else {
            Files.writeString(base.resolve("generation_config.json"), generation);
        }
        ModelNotes notes;
        try (ModelReader reader = FORMAT.open(base)) {
            notes = reader.notes();
        }
        Files.move(base, folder.resolve("base"));
        JsonNode id = json(write(notes).resolve("config.json")).path("pad_token_id");
        assertEquals(written, id.isNull() ? null : id.intValue());
    }

    @Test
    void writesFrontMatterOfTheHub() throws IOException {
        var notes = new ModelNotes(
                OptionalInt.empty(), List.of(), Map.of(), Optional.of("llama3.1"), Optional.of("org/base-8B"));
        String card = Files.readString(write(notes).resolve("README.md"));
        assertTrue(card.startsWith("""
        ---
        license: "llama3.1"
        base_model: "org/base-8B"
        library_name: transformers
        pipeline_tag: text-generation
        tags:
        - hirundo
        ---

        # my-run
        """), card);
        assertTrue(card.contains("starting from org/base-8B."), card);
        assertTrue(card.contains("| This model | llama3.1 |\n| Training data | cc-by-4.0 |\n"), card);
        assertTrue(card.contains("| Steps | 7 |\n"), card);
    }

    @Test
    void escapesWhatConfigurationsSay() {
        assertEquals(
                "a \\| b \\<script\\> \\[x\\](y) \\`\\*\\_\\#",
                ModelCard.markdown("a |\nb <script> [x](y) `*_#\u2028"));
        var notes = new ModelNotes(
                OptionalInt.empty(), List.of(), Map.of(), Optional.of("mit\"\n---\nx: y"), Optional.empty());
        String card = ModelCard.of(description(notes));
        assertTrue(card.startsWith("---\nlicense: \"mit\\\"\\n---\\nx: y\"\nlibrary_name:"), card);
    }
}
