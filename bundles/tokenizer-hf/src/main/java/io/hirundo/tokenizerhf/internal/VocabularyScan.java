package io.hirundo.tokenizerhf.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.hirundo.lib.input.Excerpt;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Scans a {@code tokenizer.json} in one pass, without storing its hundreds of thousands of tokens and merges.
 *
 * @param vocabularySize largest id plus one; 0 without any
 * @param ids of the requested tokens that exist
 * @param addedTokens the section of that name
 * @param normalizer the section of that name, missing or null if texts are not normalized
 * @param preTokenizer the section of that name
 * @param decoder the section of that name
 */
record VocabularyScan(
    int vocabularySize,
    Map<String, Integer> ids,
    JsonNode addedTokens,
    JsonNode normalizer,
    JsonNode preTokenizer,
    JsonNode decoder) {
  /** The largest published vocabularies have 300,000 tokens; arrays of this size must fit into memory. */
  private static final int MOST_IDS = 1 << 24;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(100).build())
          .build();

  static VocabularyScan of(byte[] json, Set<String> wanted) throws IOException {
    var scanner = new Scanner(wanted);
    try (JsonParser parser = new ObjectMapper(FACTORY).createParser(json)) {
      scanner.scan(parser);
    }
    for (JsonNode token : scanner.addedTokens) {
      scanner.see(token.path("content").asText(), token.path("id").asLong());
    }
    return new VocabularyScan(
        scanner.largest + 1, Map.copyOf(scanner.ids), scanner.addedTokens, scanner.normalizer, scanner.preTokenizer,
        scanner.decoder);
  }

  private static final class Scanner {
    private final Set<String> wanted;
    private final Map<String, Integer> ids = new HashMap<>();
    private int largest = -1;
    private JsonNode addedTokens = MissingNode.getInstance();
    private JsonNode normalizer = addedTokens;
    private JsonNode preTokenizer = addedTokens;
    private JsonNode decoder = addedTokens;

    Scanner(Set<String> wanted) {
      this.wanted = wanted;
    }

    void scan(JsonParser parser) throws IOException {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("it does not begin with {");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        switch (name) {
          case "added_tokens" -> addedTokens = parser.readValueAsTree();
          case "normalizer" -> normalizer = parser.readValueAsTree();
          case "pre_tokenizer" -> preTokenizer = parser.readValueAsTree();
          case "decoder" -> decoder = parser.readValueAsTree();
          case "model" -> model(parser);
          default -> parser.skipChildren();
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
        if (!name.equals("vocab")) {
          parser.skipChildren();
        } else if (value == JsonToken.START_ARRAY) {
          pieces(parser);
        } else {
          tokens(parser);
        }
      }
    }

    /** Unigram models: [token, score]; the id is the index. */
    private void pieces(JsonParser parser) throws IOException {
      for (int id = 0; parser.nextToken() == JsonToken.START_ARRAY; id++) {
        see(parser.nextTextValue(), id);
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          parser.skipChildren();
        }
      }
    }

    /** All other models: token: id. */
    private void tokens(JsonParser parser) throws IOException {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String token = parser.currentName();
        parser.nextToken();
        see(token, parser.getLongValue());
      }
    }

    void see(String token, long id) throws IOException {
      if (id < 0 || id >= MOST_IDS) {
        throw new IOException("token '" + Excerpt.of(String.valueOf(token)) + "' has the id " + id + " (allowed: 0 to " + (MOST_IDS - 1) + ")");
      }
      largest = Math.max(largest, (int) id);
      if (wanted.contains(token)) {
        ids.put(token, (int) id);
      }
    }
  }
}
