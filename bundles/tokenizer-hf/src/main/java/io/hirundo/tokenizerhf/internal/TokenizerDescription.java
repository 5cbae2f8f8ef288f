package io.hirundo.tokenizerhf.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.JsonComplaint;
import io.hirundo.lib.input.Reason;
import io.hirundo.tokenizerhf.internal.safety.PatternLimits;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SequencedSet;

/**
 * Facts from a tokenizer's files that the library does not expose.
 *
 * @param vocabularySize one more than the largest id
 * @param beginOfText id
 * @param endOfText id
 * @param hasSafeBorders whether {@link SafeBorders} may split its texts
 * @param patterns its regular expressions
 */
record TokenizerDescription(
    int vocabularySize, OptionalInt beginOfText, OptionalInt endOfText, boolean hasSafeBorders, PatternLimits patterns) {
  // Base models first: a chat model's configuration names the end of a turn, which does not end a document.
  private static final List<String> BEGINNINGS = List.of("<|begin_of_text|>", "<s>");
  private static final List<String> ENDS = List.of("<|end_of_text|>", "<|endoftext|>", "</s>");

  /** @throws DataException if a file's contents are invalid */
  static TokenizerDescription of(TokenizerFiles files) {
    var beginnings = new LinkedHashSet<>(BEGINNINGS);
    var ends = new LinkedHashSet<>(ENDS);
    for (String name : List.of(TokenizerFiles.CONFIG, TokenizerFiles.SPECIAL_TOKENS)) {
      byte[] json = files.companion(name);
      if (json != null) {
        String path = files.path().resolveSibling(name).toString();
        JsonNode tree = tree(json, path);
        if (!tree.isObject()) {
          throw wrong(path, "it is " + kind(tree) + " (allowed: an object)");
        }
        addToken(beginnings, tree, "bos_token", path);
        addToken(ends, tree, "eos_token", path);
      }
    }
    var wanted = new LinkedHashSet<>(beginnings);
    wanted.addAll(ends);
    VocabularyScan scan;
    try {
      scan = VocabularyScan.of(files.tokenizer(), wanted);
    } catch (IOException e) {
      throw damaged(files.path().toString(), e);
    }
    if (scan.vocabularySize() == 0) {
      throw new DataException("tokenizer " + files.path() + ": it has no tokens (model.vocab): give a tokenizer.json as"
          + " Hugging Face's tokenizers write it");
    }
    boolean safeBorders = BorderRule.allows(scan);
    var patterns = PatternLimits.of(
        Map.of("normalizer", scan.normalizer(), "pre_tokenizer", scan.preTokenizer(), "decoder", scan.decoder()),
        growth(scan, safeBorders), files.path().toString());
    return new TokenizerDescription(
        scan.vocabularySize(), first(scan, beginnings), first(scan, ends), safeBorders, patterns);
  }

  /** NFKD maps one character to at most 18, and a byte-fallback character may become four. */
  private static double growth(VocabularyScan scan, boolean safeBorders) {
    if (safeBorders) {
      return 1;
    }
    return scan.normalizer().isMissingNode() || scan.normalizer().isNull() ? 4 : 18;
  }

  private static void addToken(SequencedSet<String> names, JsonNode tree, String key, String path) {
    JsonNode token = tree.path(key);
    // A plain name, or an added token with its name in content.
    JsonNode name = token.isObject() ? token.path("content") : token;
    if (name.isTextual()) {
      names.add(name.textValue());
    } else if (token.isObject() || !(name.isNull() || name.isMissingNode())) {
      throw wrong(path, "field " + key + " is " + kind(token) + " (allowed: text, null, or an object with the text content)");
    }
  }

  private static DataException wrong(String path, String what) {
    return new DataException("tokenizer " + path + ": " + what + "; download it again or train a new one");
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case MISSING -> "empty";
      case ARRAY -> "a list";
      case OBJECT -> "an object";
      case STRING -> "text";
      default -> Excerpt.of(node.toString());
    };
  }

  private static OptionalInt first(VocabularyScan scan, SequencedSet<String> names) {
    return names.stream()
        .filter(scan.ids()::containsKey)
        .mapToInt(scan.ids()::get)
        .findFirst();
  }

  private static JsonNode tree(byte[] json, String path) {
    try {
      return new ObjectMapper().readTree(json);
    } catch (IOException e) {
      throw damaged(path, e);
    }
  }

  private static DataException damaged(String path, IOException cause) {
    String reason = cause instanceof JacksonException json ? JsonComplaint.of(json.getOriginalMessage()) : Reason.of(cause);
    String place = cause instanceof JacksonException json && json.getLocation() != null
        ? " at line " + json.getLocation().getLineNr() + ", column " + json.getLocation().getColumnNr()
        : "";
    return new DataException("tokenizer " + path + ": it is damaged, or no JSON" + place + ": "
        + Excerpt.of(reason) + "; download it again or train a new one", cause);
  }
}
