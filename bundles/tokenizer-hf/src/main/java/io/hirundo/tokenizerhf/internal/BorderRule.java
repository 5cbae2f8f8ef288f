package io.hirundo.tokenizerhf.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.hirundo.tokenizerhf.internal.files.VocabularyScan;

/** Decides whether {@link SafeBorders} hold for a tokenizer: only if everything that could look across a border is known. */
final class BorderRule {
    private BorderRule() {}

    static boolean allows(VocabularyScan.Sections sections) {
        return isAbsent(sections.normalizer())
                && splitsWords(sections.byName().path("pre_tokenizer"))
                && addedTokensStayApart(sections.addedTokens());
    }

    private static boolean isAbsent(JsonNode node) {
        return node.isMissingNode() || node.isNull();
    }

    private static boolean splitsWords(JsonNode preTokenizer) {
        JsonNode steps = preTokenizer.path("pretokenizers");
        if (!preTokenizer.path("type").asText().equals("Sequence") || steps.size() != 2) {
            return false;
        }
        JsonNode split = steps.get(0);
        JsonNode bytes = steps.get(1);
        return split.path("type").asText().equals("Split")
                && SafeBorders.hold(split.path("pattern").path("Regex").asText())
                && split.path("behavior").asText().equals("Isolated")
                && !split.path("invert").asBoolean()
                && bytes.path("type").asText().equals("ByteLevel")
                && !bytes.path("add_prefix_space").asBoolean(true)
                && !bytes.path("use_regex").asBoolean(true);
    }

    /** No special token may cross a line feed, absorb white space, or depend on its neighbors. */
    private static boolean addedTokensStayApart(JsonNode addedTokens) {
        for (JsonNode token : addedTokens) {
            if (token.path("content").asText().contains("\n")
                    || token.path("lstrip").asBoolean()
                    || token.path("rstrip").asBoolean()
                    || token.path("single_word").asBoolean()) {
                return false;
            }
        }
        return true;
    }
}
