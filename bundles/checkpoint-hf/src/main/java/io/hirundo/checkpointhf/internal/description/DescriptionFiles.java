package io.hirundo.checkpointhf.internal.description;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelDescription;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpointhf.internal.file.FolderReplacement;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.lib.files.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes what others need to use a model: ids of a text's beginning and end in {@code config.json}, {@code generation_config.json},
 * without which generation never stops, and a model card.
 */
public final class DescriptionFiles {
    private DescriptionFiles() {}

    /** Completes a folder that has not appeared yet. */
    public static void write(Path folder, ModelDescription description) {
        ModelNotes notes = description.notes();
        try {
            if (notes.beginOfText().isPresent()
                    || !notes.endOfText().isEmpty()
                    || notes.generation().containsKey(FolderNotes.PADDING)) {
                Path file = folder.resolve(FolderReplacement.CONFIG);
                ObjectNode config = Json.mapper().valueToTree(Json.readValues(file));
                putIds(config, notes);
                putPadding(config, notes);
                Files.delete(file);
                DurableFile.write(file, bytes(config));
            }
            ObjectNode generation = generation(notes);
            if (!generation.isEmpty()) {
                DurableFile.write(folder.resolve(FolderNotes.GENERATION), bytes(generation));
            }
            DurableFile.write(
                    folder.resolve(FolderNotes.CARD), ModelCard.of(description).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new StorageException(
                    "the model's description cannot be written to " + folder + ": " + Reason.of(e)
                            + "; make room there",
                    e);
        }
    }

    /** The settings of the model that the training started from stay, with the ids that they lack. */
    private static ObjectNode generation(ModelNotes notes) {
        ObjectNode generation = Json.mapper().valueToTree(notes.generation());
        putIds(generation, notes);
        return generation;
    }

    private static void putIds(ObjectNode json, ModelNotes notes) {
        notes.beginOfText().ifPresent(id -> json.put(FolderNotes.BEGIN, id));
        List<Integer> end = notes.endOfText();
        if (end.size() == 1) {
            json.put(FolderNotes.END, end.getFirst());
        } else if (!end.isEmpty()) {
            end.forEach(json.putArray(FolderNotes.END)::add);
        }
    }

    /** That of the model that the training started from, unless the family wrote one, or the vocabulary lacks it. */
    private static void putPadding(ObjectNode config, ModelNotes notes) {
        JsonNode vocabulary = config.path("vocab_size");
        if (config.path(FolderNotes.PADDING).isNull()
                && notes.generation().get(FolderNotes.PADDING) instanceof Integer id
                && id >= 0
                && (!vocabulary.isNumber() || id < vocabulary.longValue())) {
            config.put(FolderNotes.PADDING, id);
        }
    }

    private static byte[] bytes(ObjectNode json) throws JsonProcessingException {
        return (Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }
}
