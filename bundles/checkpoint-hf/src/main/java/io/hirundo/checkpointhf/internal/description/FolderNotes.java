package io.hirundo.checkpointhf.internal.description;

import com.fasterxml.jackson.databind.JsonNode;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpointhf.internal.file.Damage;
import io.hirundo.checkpointhf.internal.file.FolderReplacement;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.lib.input.CardLicense;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Reads what a Hugging Face folder says about its model: ids, generation settings, license and published name. */
public final class FolderNotes {
    static final String GENERATION = "generation_config.json";
    static final String CARD = "README.md";
    static final String BEGIN = "bos_token_id";
    static final String END = "eos_token_id";
    static final String PADDING = "pad_token_id";

    private static final Pattern PUBLISHED_NAME = Pattern.compile("[A-Za-z0-9][\\w.-]{0,95}/[A-Za-z0-9][\\w.-]{0,95}");

    private FolderNotes() {}

    /** @throws DataException if a file cannot be read or an id is no id */
    public static ModelNotes read(Path folder) {
        Path configFile = folder.resolve(FolderReplacement.CONFIG);
        Path generationFile = folder.resolve(GENERATION);
        Map<String, Object> config = Json.readValues(configFile);
        Map<String, Object> generation =
                new LinkedHashMap<>(Files.exists(generationFile) ? Json.readValues(generationFile) : Map.of());
        // As the Transformers library does: what generation_config.json does not say, config.json says.
        padding(generation, generationFile)
                .or(() -> padding(config, configFile))
                .ifPresent(id -> generation.put(PADDING, id));
        List<Integer> begin = ids(generation, BEGIN, generationFile);
        List<Integer> end = ids(generation, END, generationFile);
        begin = begin.isEmpty() ? ids(config, BEGIN, configFile) : begin;
        end = end.isEmpty() ? ids(config, END, configFile) : end;
        return new ModelNotes(
                begin.isEmpty() ? OptionalInt.empty() : OptionalInt.of(begin.getFirst()),
                end,
                generation,
                license(folder),
                publishedName(config));
    }

    /** One id, several, or none. */
    private static List<Integer> ids(Map<String, Object> values, String key, Path file) {
        JsonNode node = Json.mapper().valueToTree(values.get(key));
        var ids = new ArrayList<Integer>();
        for (JsonNode each : node.isArray() ? node : List.of(node)) {
            if (each.isNull() || each.isMissingNode()) {
                continue;
            }
            if (!each.canConvertToInt() || !each.isIntegralNumber() || each.intValue() < 0) {
                throw Damage.of(file, key + " is not a token id or a list of them");
            }
            ids.add(each.intValue());
        }
        return ids;
    }

    /** Files of the first Llama have -1, which is no id. */
    private static Optional<Integer> padding(Map<String, Object> values, Path file) {
        return values.get(PADDING) instanceof Number id && id.longValue() == -1
                ? Optional.empty()
                : ids(values, PADDING, file).stream().findFirst();
    }

    private static Optional<String> license(Path folder) {
        try {
            return CardLicense.read(folder);
        } catch (IOException e) {
            throw new DataException(
                    CardLicense.card(folder) + " cannot be read: " + Reason.of(e)
                            + "; remove it or fix its permissions",
                    e);
        }
    }

    /** Where the library has loaded a model from the Hub, it has left the name. */
    private static Optional<String> publishedName(Map<String, Object> config) {
        return config.get("_name_or_path") instanceof String name
                        && PUBLISHED_NAME.matcher(name).matches()
                        && !name.contains("..")
                ? Optional.of(name)
                : Optional.empty();
    }
}
