package io.hirundo.tokenizerhf.internal.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.hirundo.DataException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the files next to a {@code tokenizer.json} declare about begin and end of a text, and about ids.
 *
 * <p>Transformers takes the names in {@code special_tokens_map.json} before those in {@code tokenizer_config.json}, unless the latter has
 * an {@code added_tokens_decoder}: it is then of a version that reads it alone.
 *
 * @param begin what begins a text
 * @param end what ends one
 * @param addBegin whether a begin is written; empty if no file says
 * @param addEnd whether transformers ends a text; empty if no file says
 * @param statedIds ids of added tokens in files other than {@code tokenizer.json}
 */
public record TokenizerDeclarations(
        Token begin, Token end, Optional<Boolean> addBegin, Optional<Boolean> addEnd, Map<String, StatedId> statedIds) {
    /** A token, in one of the files. */
    public sealed interface Token {}

    /** By name, as {@code bos_token} in {@code file}. */
    public record Named(String name, String key, String file) implements Token {}

    /** By id, as {@code bos_token_id} in {@code file}. */
    public record Numbered(int id, String key, String file) implements Token {}

    /** Declared to be none: the key is there, with null. */
    public record None() implements Token {}

    /** No file says anything. */
    public record Silent() implements Token {}

    /** The id that {@code file} gives to a token. */
    public record StatedId(long id, String file) {}

    /** @throws DataException if a file's contents are invalid */
    public static TokenizerDeclarations of(TokenizerFiles files) {
        JsonNode config = companion(files, TokenizerFiles.CONFIG);
        JsonNode map = companion(files, TokenizerFiles.SPECIAL_TOKENS);
        var ordered = new LinkedHashMap<String, JsonNode>();
        if (config.path("added_tokens_decoder").isObject()) {
            ordered.put(TokenizerFiles.CONFIG, config);
        }
        ordered.put(TokenizerFiles.SPECIAL_TOKENS, map);
        ordered.putIfAbsent(TokenizerFiles.CONFIG, config);
        Token begin = named(files, ordered, "bos_token");
        Token end = named(files, ordered, "eos_token");
        return new TokenizerDeclarations(
                begin instanceof Silent ? numbered(files, "bos_token_id") : begin,
                // A training needs the ends of documents, so the model may say what the tokenizer leaves open.
                end instanceof Named ? end : orElse(numbered(files, "eos_token_id"), end),
                flag(config, "add_bos_token", path(files, TokenizerFiles.CONFIG)),
                flag(config, "add_eos_token", path(files, TokenizerFiles.CONFIG)),
                statedIds(files, config));
    }

    private static Token orElse(Token token, Token other) {
        return token instanceof Silent ? other : token;
    }

    private static String path(TokenizerFiles files, String name) {
        return files.path().resolveSibling(name).toString();
    }

    private static JsonNode companion(TokenizerFiles files, String name) {
        byte[] json = files.companion(name);
        return json == null ? MissingNode.getInstance() : JsonFiles.object(json, path(files, name));
    }

    private static Token named(TokenizerFiles files, Map<String, JsonNode> ordered, String key) {
        Token token = new Silent();
        // All are checked, also where an earlier file decides.
        for (var file : ordered.entrySet()) {
            Token here = named(file.getValue().path(key), key, path(files, file.getKey()));
            token = token instanceof Named || here instanceof Silent ? token : here;
        }
        return token;
    }

    /** A name, an added token with its name in content, or none. */
    private static Token named(JsonNode token, String key, String file) {
        JsonNode name = token.isObject() ? token.path("content") : token;
        if (token.isMissingNode()) {
            return new Silent();
        } else if (token.isNull() || name.isTextual() && name.textValue().isEmpty()) {
            return new None();
        } else if (name.isTextual()) {
            return new Named(name.textValue(), key, file);
        }
        throw JsonFiles.wrong(
                file,
                "field " + key + " is " + JsonFiles.kind(token)
                        + " (allowed: text, null, or an object with the text content)");
    }

    /** As the model declares it: an id, or a list of which the first one counts. */
    private static Token numbered(TokenizerFiles files, String key) {
        for (String name : TokenizerFiles.OF_THE_MODEL) {
            byte[] json = files.ofTheModel(name);
            if (json != null) {
                String file = path(files, name);
                JsonNode value = JsonFiles.object(json, file).path(key);
                for (JsonNode id : value.isArray() ? value : List.of(value)) {
                    if (id.isMissingNode() || id.isNull()) {
                        continue;
                    }
                    if (!id.isIntegralNumber() || !id.canConvertToInt() || id.intValue() < 0) {
                        throw JsonFiles.wrong(
                                file,
                                "field " + key + " is " + JsonFiles.kind(value)
                                        + " (allowed: an id, a list of ids, or null)");
                    }
                    return new Numbered(id.intValue(), key, file);
                }
            }
        }
        return new Silent();
    }

    private static Optional<Boolean> flag(JsonNode config, String key, String file) {
        JsonNode flag = config.path(key);
        if (flag.isMissingNode() || flag.isNull()) {
            return Optional.empty();
        }
        if (!flag.isBoolean()) {
            throw JsonFiles.wrong(
                    file, "field " + key + " is " + JsonFiles.kind(flag) + " (allowed: true, false, or null)");
        }
        return Optional.of(flag.booleanValue());
    }

    private static Map<String, StatedId> statedIds(TokenizerFiles files, JsonNode config) {
        var ids = new LinkedHashMap<String, StatedId>();
        String decoder = path(files, TokenizerFiles.CONFIG);
        config.path("added_tokens_decoder").properties().forEach(entry -> {
            JsonNode name = entry.getValue().isObject() ? entry.getValue().path("content") : entry.getValue();
            if (!entry.getKey().matches("\\d{1,18}") || !name.isTextual()) {
                throw JsonFiles.wrong(
                        decoder,
                        "added_tokens_decoder has an entry that is no token (allowed: an id and an object with the text content)");
            }
            ids.put(name.textValue(), new StatedId(Long.parseLong(entry.getKey()), decoder));
        });
        String added = path(files, TokenizerFiles.ADDED_TOKENS);
        companion(files, TokenizerFiles.ADDED_TOKENS).properties().forEach(entry -> {
            if (!entry.getValue().isIntegralNumber()) {
                throw JsonFiles.wrong(added, "it has an entry that is no id (allowed: an id for each token)");
            }
            ids.putIfAbsent(entry.getKey(), new StatedId(entry.getValue().longValue(), added));
        });
        return ids;
    }

    /** Names whose ids are needed from the vocabulary. */
    List<String> names() {
        var names = new ArrayList<>(statedIds.keySet());
        for (Token token : List.of(begin, end)) {
            if (token instanceof Named named) {
                names.add(named.name());
            }
        }
        return names;
    }
}
