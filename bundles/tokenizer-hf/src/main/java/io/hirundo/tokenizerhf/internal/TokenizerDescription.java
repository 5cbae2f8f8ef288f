package io.hirundo.tokenizerhf.internal;

import io.hirundo.DataException;
import io.hirundo.data.SpecialTokens;
import io.hirundo.tokenizerhf.internal.safety.PatternLimits;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Facts from a tokenizer's files that the library does not expose.
 *
 * @param scan of its {@code tokenizer.json}
 * @param frame what begins and ends a text
 * @param special tokens that control a model
 * @param hasSafeBorders whether {@link SafeBorders} may split its texts
 * @param patterns its regular expressions
 */
record TokenizerDescription(VocabularyScan scan, TextFrame frame, SpecialTokens special, boolean hasSafeBorders, PatternLimits patterns) {
  /** @throws DataException if a file's contents are invalid */
  static TokenizerDescription of(TokenizerFiles files, HuggingFaceOptions options) {
    String path = files.path().toString();
    var declared = TokenizerDeclarations.of(files);
    var names = new HashSet<>(declared.names());
    names.addAll(TextFrame.BEGINNINGS);
    names.addAll(TextFrame.ENDS);
    VocabularyScan scan;
    try {
      scan = VocabularyScan.of(files.tokenizer(), names, chosenIds(options));
    } catch (IOException e) {
      throw JsonFiles.damaged(path, e);
    }
    if (scan.vocabularySize() == 0) {
      throw new DataException("tokenizer " + path + ": it has no tokens (model.vocab): give a tokenizer.json as"
          + " Hugging Face's tokenizers write it");
    }
    AddedTokens.requireLibraryIds(scan, declared.statedIds(), path);
    boolean safeBorders = BorderRule.allows(scan.sections());
    var patterns = PatternLimits.of(
        Map.of("normalizer", scan.sections().normalizer(), "pre_tokenizer", scan.sections().byName().path("pre_tokenizer"),
            "decoder", scan.sections().byName().path("decoder")),
        growth(scan.sections(), safeBorders), path);
    var frame = TextFrame.of(options, declared, scan, path);
    return new TokenizerDescription(scan, frame, AddedTokens.special(scan, frame.begin(), frame.end()), safeBorders, patterns);
  }

  private static Set<Integer> chosenIds(HuggingFaceOptions options) {
    var ids = new HashSet<Integer>();
    Stream.of(options.chosenBegin(), options.chosenEnd()).forEach(id -> id.ifPresent(each -> each.ifPresent(ids::add)));
    return ids;
  }

  /** One more than the largest id. */
  int vocabularySize() {
    return scan.vocabularySize();
  }

  /** NFKD maps one character to at most 18, and a byte-fallback character may become four. */
  private static double growth(VocabularyScan.Sections sections, boolean safeBorders) {
    if (safeBorders) {
      return 1;
    }
    return sections.normalizer().isMissingNode() || sections.normalizer().isNull() ? 4 : 18;
  }
}
