package io.hirundo.tokenizerhf.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.DataException;
import io.hirundo.tokenizerhf.internal.files.AddedTokens;
import io.hirundo.tokenizerhf.internal.files.TokenizerFiles;
import io.hirundo.tokenizerhf.internal.files.VocabularyScan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Rewrites a {@code tokenizer.json} so that the names of its special tokens are text like any other. All other tokens keep their ids.
 *
 * <p>A special token that the model lacks gets a name that no text contains. One that the model has is left out of the added tokens; unless
 * merges alone make the model's tokens (BPE), it also gets such a name in the vocabulary, because the model would find it in a text.
 */
final class TextOnlyTokenizer {
    private TextOnlyTokenizer() {}

    /** Whether the original would find a special token in the text. */
    static boolean differsFor(String text, TokenizerDescription description) {
        return description.special().occurIn(text) || findsNormalizedNames(description);
    }

    /** The library looks for such names in the normalized text, of which only it knows. */
    private static boolean findsNormalizedNames(TokenizerDescription description) {
        if (!description.scan().sections().normalizer().isObject()) {
            return false;
        }
        for (JsonNode token : description.scan().sections().addedTokens()) {
            if (token.path("normalized").asBoolean()
                    && description.special().id(token.path("content").asText()).isPresent()) {
                return true;
            }
        }
        return false;
    }

    /**
     * The rewritten file.
     *
     * @throws DataException if the library would give other ids
     */
    static byte[] of(TokenizerFiles files, TokenizerDescription description) {
        var sections = description.scan().sections();
        var model = description.scan().model();
        byte[] json = files.tokenizer();
        String unknownName = "hirundo-" + UUID.randomUUID() + "-";
        // By first byte: what replaces the value there.
        var edits = new TreeMap<Integer, Edit>();
        var kept = new ObjectMapper().createArrayNode();
        for (JsonNode token : sections.addedTokens()) {
            String name = token.path("content").asText();
            if (description.special().id(name).isEmpty()) {
                kept.add(token);
            } else if (!model.ids().containsKey(name)) {
                kept.add(renamed(token, unknownName + kept.size()));
            }
        }
        // These only kept the ids of tokens after them, and each costs time.
        while (!kept.isEmpty()
                && kept.get(kept.size() - 1).path("content").asText().startsWith(unknownName)) {
            kept.remove(kept.size() - 1);
        }
        for (String name : description.special().ids().keySet()) {
            if (model.places().containsKey(name) && canRename(name, model)) {
                int begin = Math.toIntExact(model.places().get(name));
                edits.put(
                        begin,
                        new Edit(
                                endOfString(json, begin),
                                ("\"" + unknownName + "v" + edits.size() + "\"").getBytes(StandardCharsets.UTF_8)));
            }
        }
        String other = AddedTokens.nextIds(kept, model);
        if (other != null) {
            throw new DataException("tokenizer " + files.path()
                    + ": the names of its special tokens cannot stay text, because without them " + other
                    + ": save it again with transformers, or set the option specialTokensInText");
        }
        if (sections.addedTokensBegin() >= 0) {
            edits.put(
                    Math.toIntExact(sections.addedTokensBegin()),
                    new Edit(Math.toIntExact(sections.addedTokensEnd()), bytes(kept)));
        }
        return apply(json, edits);
    }

    private record Edit(int end, byte[] value) {}

    private static ObjectNode renamed(JsonNode token, String name) {
        return ((ObjectNode) token.deepCopy())
                .put("content", name)
                .put("normalized", false)
                .put("single_word", false)
                .put("lstrip", false)
                .put("rstrip", false);
    }

    /** Merges name the tokens of BPE, unknown words need theirs, and a single character is text of its own. */
    private static boolean canRename(String name, VocabularyScan.Model model) {
        return switch (model.type()) {
            case "Unigram" -> name.codePointCount(0, name.length()) > 1;
            case "WordLevel", "WordPiece" -> name.codePointCount(0, name.length()) > 1 && !name.equals(model.unknown());
            default -> false;
        };
    }

    /** The byte after the string of JSON that begins at {@code begin}. */
    private static int endOfString(byte[] json, int begin) {
        if (json[begin] != '"') {
            throw new IllegalStateException("no text at byte " + begin);
        }
        int at = begin + 1;
        while (json[at] != '"') {
            at += json[at] == '\\' ? 2 : 1;
        }
        return at + 1;
    }

    private static byte[] bytes(ArrayNode tokens) {
        try {
            return new ObjectMapper().writeValueAsBytes(tokens);
        } catch (IOException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }

    private static byte[] apply(byte[] json, Map<Integer, Edit> edits) {
        var out = new ByteArrayOutputStream(json.length + 1024);
        int from = 0;
        for (var edit : edits.entrySet()) {
            out.write(json, from, edit.getKey() - from);
            out.writeBytes(edit.getValue().value());
            from = edit.getValue().end();
        }
        out.write(json, from, json.length - from);
        return out.toByteArray();
    }
}
