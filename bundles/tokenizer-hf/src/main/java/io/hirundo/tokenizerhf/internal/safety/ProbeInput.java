package io.hirundo.tokenizerhf.internal.safety;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.tokenizerhf.internal.files.VocabularyScan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * What the child process tries of a file.
 *
 * <p>The library compares each added token with all earlier ones while it loads a file, so the time grows with the square of their number:
 * 50,000 take several seconds. The child therefore loads the first {@value #LOADED} of many, and encodes the others as texts, so that the
 * normalizer sees each of them.
 *
 * @param json a {@code tokenizer.json}
 * @param names the added tokens that {@code json} lacks, one a line
 */
record ProbeInput(byte[] json, byte[] names) {
    static final int LOADED = 2_000;

    /** Beyond these bounds the library's own structures may need much memory, so the child, which has limits, builds them. */
    private static final int MOST_TOKENS = 100_000;

    private static final int MOST_CHARACTERS = 100;

    /** @param json the complete file, to which the sections belong */
    static ProbeInput of(byte[] json, VocabularyScan.Sections sections) {
        JsonNode tokens = sections.addedTokens();
        if (!tokens.isArray() || tokens.size() <= LOADED || tokens.size() > MOST_TOKENS) {
            return new ProbeInput(json, new byte[0]);
        }
        var loaded = new ObjectMapper().createArrayNode();
        var names = new StringBuilder();
        for (JsonNode token : tokens) {
            String name = token.path("content").asText();
            if (name.length() > MOST_CHARACTERS) {
                return new ProbeInput(json, new byte[0]);
            }
            if (loaded.size() < LOADED) {
                loaded.add(token);
            } else {
                names.append(name).append('\n');
            }
        }
        int begin = Math.toIntExact(sections.addedTokensBegin());
        int end = Math.toIntExact(sections.addedTokensEnd());
        var out = new ByteArrayOutputStream(json.length);
        out.write(json, 0, begin);
        out.writeBytes(bytes(loaded));
        out.write(json, end, json.length - end);
        return new ProbeInput(out.toByteArray(), names.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] bytes(JsonNode tokens) {
        try {
            return new ObjectMapper().writeValueAsBytes(tokens);
        } catch (IOException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }
}
