package io.hirundo.tokenizerhf.internal.files;

import com.fasterxml.jackson.databind.JsonNode;
import io.hirundo.DataException;
import io.hirundo.data.SpecialTokens;
import io.hirundo.lib.input.Excerpt;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/** The section {@code added_tokens}, and what other files say about the same tokens. */
public final class AddedTokens {
    private AddedTokens() {}

    /**
     * Rejects ids that the library would not use: it numbers added tokens that the model lacks one after the other, whatever the file says
     * (add_tokens in added_vocabulary.rs of the tokenizers library).
     *
     * @throws DataException with the first token of another id
     */
    public static void requireLibraryIds(
            VocabularyScan scan, Map<String, TokenizerDeclarations.StatedId> stated, String path) {
        String next = nextIds(scan.sections().addedTokens(), scan.model());
        if (next != null) {
            throw new DataException("tokenizer " + path + ": added_tokens: " + next
                    + ": give the ids without gaps after the model's vocabulary, as tokenizers.Tokenizer.save does");
        }
        stated.forEach((token, one) -> {
            Integer id = scan.id(token);
            if (id == null || id != one.id()) {
                throw new DataException(
                        "tokenizer " + one.file() + ": it gives '" + Excerpt.of(token) + "' the id " + one.id()
                                + ", but in " + path
                                + (id == null ? " there is no such token" : " it is " + id)
                                + ": save both again with transformers, AutoTokenizer.from_pretrained(...).save_pretrained(...)");
            }
        });
    }

    /** Null if the library numbers the tokens as the section does; else what is wrong. */
    public static String nextIds(JsonNode addedTokens, VocabularyScan.Model model) {
        var given = new HashMap<String, Integer>();
        int largest = -1;
        for (JsonNode token : addedTokens) {
            String content = token.path("content").asText();
            // The library rejects or ignores it.
            if (!token.path("content").isTextual() || content.isEmpty()) {
                continue;
            }
            Integer known = given.containsKey(content)
                    ? given.get(content)
                    : model.ids().get(content);
            int id = known != null ? known : Math.max(largest + 1, model.tokens());
            if (token.path("id").isIntegralNumber() && token.path("id").longValue() != id) {
                return "'" + Excerpt.of(content) + "' has the id "
                        + token.path("id").longValue() + ", but the tokenizers library would use " + id;
            }
            given.put(content, id);
            largest = Math.max(largest, id);
        }
        return null;
    }

    /** The added tokens that the file calls special, and those that begin or end a text. */
    public static SpecialTokens special(VocabularyScan scan, OptionalInt begin, OptionalInt end) {
        var special = new LinkedHashMap<String, Integer>();
        for (JsonNode token : scan.sections().addedTokens()) {
            int id = token.path("id").asInt();
            if (token.path("special").asBoolean()
                    || begin.equals(OptionalInt.of(id))
                    || end.equals(OptionalInt.of(id))) {
                special.put(token.path("content").asText(), id);
            }
        }
        return SpecialTokens.of(special);
    }
}
