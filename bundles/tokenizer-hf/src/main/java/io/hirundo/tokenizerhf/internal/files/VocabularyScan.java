package io.hirundo.tokenizerhf.internal.files;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Scans a {@code tokenizer.json} in two passes, without storing its hundreds of thousands of tokens and merges: first the small sections,
 * then the model for the tokens that they name.
 *
 * @param vocabularySize largest id plus one; 0 without any
 * @param sections everything but the model, by name
 * @param model what is known of the model
 */
public record VocabularyScan(int vocabularySize, Sections sections, Model model) {
    /** The largest published vocabularies have 300,000 tokens; arrays of this size must fit into memory. */
    private static final int MOST_IDS = 1 << 24;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(100).build())
            .build();

    /**
     * The sections of a file but its model.
     *
     * @param byName the sections
     * @param addedIds ids of the added tokens
     * @param addedTokensBegin first byte of the value of {@code added_tokens}; -1 without one
     * @param addedTokensEnd byte after it
     */
    public record Sections(JsonNode byName, Map<String, Integer> addedIds, long addedTokensBegin, long addedTokensEnd) {
        /** Section {@code added_tokens}; missing without one. */
        public JsonNode addedTokens() {
            return byName.path("added_tokens");
        }

        /** Section {@code normalizer}; missing or null if texts are not normalized. */
        public JsonNode normalizer() {
            return byName.path("normalizer");
        }
    }

    /**
     * A model's vocabulary.
     *
     * @param type such as {@code BPE}; empty if the file does not say
     * @param tokens number of its tokens
     * @param unknown name of the unknown token; null without one
     * @param ids of the requested tokens that exist
     * @param places first byte of each of these tokens in the file
     * @param names of the requested ids that exist
     */
    public record Model(
            String type,
            int tokens,
            String unknown,
            Map<String, Integer> ids,
            Map<String, Long> places,
            Map<Integer, String> names) {}

    /** Id of a requested token: an added one, else one of the model; null if it does not exist. */
    Integer id(String token) {
        Integer id = sections.addedIds().get(token);
        return id == null ? model.ids().get(token) : id;
    }

    /** Name of a requested id; null if no token has it. */
    String name(int id) {
        for (JsonNode added : sections.addedTokens()) {
            if (added.path("id").asInt(-1) == id) {
                return added.path("content").asText();
            }
        }
        return model.names().get(id);
    }

    /**
     * Scans for what declarations, choice and guesses need.
     *
     * @throws DataException if the file is damaged or has no tokens
     */
    public static VocabularyScan of(TokenizerFiles files, TokenizerDeclarations declared, TextChoice choice) {
        var names = new HashSet<>(declared.names());
        names.addAll(TextFrame.names());
        var ids = new HashSet<Integer>();
        Stream.of(choice.begin(), choice.end()).forEach(id -> id.ifPresent(each -> each.ifPresent(ids::add)));
        VocabularyScan scan;
        try {
            scan = of(files.tokenizer(), names, ids);
        } catch (IOException e) {
            throw JsonFiles.damaged(files.path().toString(), e);
        }
        if (scan.vocabularySize() == 0) {
            throw new DataException(
                    "tokenizer " + files.path() + ": it has no tokens (model.vocab): give a tokenizer.json as"
                            + " Hugging Face's tokenizers write it");
        }
        return scan;
    }

    /** {@code tokens} and {@code ids}: what is requested, besides the added tokens. */
    private static VocabularyScan of(byte[] json, Set<String> tokens, Set<Integer> ids) throws IOException {
        Sections sections = sections(json);
        var wanted = new HashSet<>(tokens);
        wanted.addAll(sections.addedIds().keySet());
        var scanner = new Scanner(wanted, ids);
        try (JsonParser parser = open(json)) {
            scanner.scan(parser);
        }
        for (JsonNode token : sections.addedTokens()) {
            scanner.seeId(token.path("content").asText(), token.path("id").asLong());
        }
        var model = new Model(scanner.type, scanner.count, scanner.unknown, scanner.ids, scanner.places, scanner.names);
        return new VocabularyScan(scanner.largest + 1, sections, model);
    }

    private static JsonParser open(byte[] json) throws IOException {
        return new ObjectMapper(FACTORY).createParser(json);
    }

    private static Sections sections(byte[] json) throws IOException {
        var byName = new ObjectMapper().createObjectNode();
        long begin = -1;
        long end = -1;
        try (JsonParser parser = open(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("it does not begin with {");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                if (name.equals("model")) {
                    parser.skipChildren();
                } else {
                    begin = name.equals("added_tokens")
                            ? parser.currentTokenLocation().getByteOffset()
                            : begin;
                    byName.set(name, parser.readValueAsTree());
                    end = name.equals("added_tokens") ? parser.currentLocation().getByteOffset() : end;
                }
            }
        }
        var ids = new HashMap<String, Integer>();
        for (JsonNode token : byName.path("added_tokens")) {
            if (token.path("content").isTextual()) {
                ids.put(token.path("content").textValue(), token.path("id").asInt());
            }
        }
        return new Sections(byName, ids, begin, end);
    }

    private static final class Scanner {
        private final Set<String> wanted;
        private final Set<Integer> wantedIds;
        private final Map<String, Integer> ids = new HashMap<>();
        private final Map<String, Long> places = new HashMap<>();
        private final Map<Integer, String> names = new HashMap<>();
        private String type = "";
        private String unknown;
        private int count;
        private int largest = -1;

        Scanner(Set<String> wanted, Set<Integer> wantedIds) {
            this.wanted = wanted;
            this.wantedIds = wantedIds;
        }

        void scan(JsonParser parser) throws IOException {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean isModel = parser.currentName().equals("model");
                parser.nextToken();
                if (isModel) {
                    model(parser);
                } else {
                    parser.skipChildren();
                }
            }
        }

        private void model(JsonParser parser) throws IOException {
            if (!parser.isExpectedStartObjectToken()) {
                throw new IOException("model is no object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                switch (name) {
                    case "vocab" -> {
                        if (value == JsonToken.START_ARRAY) {
                            pieces(parser);
                        } else {
                            tokens(parser);
                        }
                    }
                    case "type" -> type = value == JsonToken.VALUE_STRING ? parser.getText() : "";
                    case "unk_token" -> unknown = value == JsonToken.VALUE_STRING ? parser.getText() : null;
                    default -> {}
                }
                parser.skipChildren();
            }
        }

        /** Unigram models: [token, score]; the id is the index. */
        private void pieces(JsonParser parser) throws IOException {
            for (int id = 0; parser.nextToken() == JsonToken.START_ARRAY; id++) {
                String token = parser.nextTextValue();
                see(token, id, parser.currentTokenLocation().getByteOffset());
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    parser.skipChildren();
                }
            }
        }

        /** All other models: token: id. */
        private void tokens(JsonParser parser) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String token = parser.currentName();
                long place = parser.currentTokenLocation().getByteOffset();
                parser.nextToken();
                see(token, parser.getLongValue(), place);
            }
        }

        private void see(String token, long id, long place) throws IOException {
            seeId(token, id);
            count++;
            if (wanted.contains(token)) {
                ids.put(token, (int) id);
                places.put(token, place);
            }
            if (wantedIds.contains((int) id)) {
                names.put((int) id, token);
            }
        }

        void seeId(String token, long id) throws IOException {
            if (id < 0 || id >= MOST_IDS) {
                throw new IOException("token '" + Excerpt.of(String.valueOf(token)) + "' has the id " + id
                        + " (allowed: 0 to " + (MOST_IDS - 1) + ")");
            }
            largest = Math.max(largest, (int) id);
        }
    }
}
