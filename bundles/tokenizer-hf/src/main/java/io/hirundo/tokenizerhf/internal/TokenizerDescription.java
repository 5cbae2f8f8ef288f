package io.hirundo.tokenizerhf.internal;

import io.hirundo.DataException;
import io.hirundo.data.SpecialTokens;
import io.hirundo.tokenizerhf.internal.files.AddedTokens;
import io.hirundo.tokenizerhf.internal.files.TextFrame;
import io.hirundo.tokenizerhf.internal.files.TokenizerDeclarations;
import io.hirundo.tokenizerhf.internal.files.TokenizerFiles;
import io.hirundo.tokenizerhf.internal.files.VocabularyScan;
import io.hirundo.tokenizerhf.internal.safety.PatternLimits;
import java.util.Map;

/**
 * Facts from a tokenizer's files that the library does not expose.
 *
 * @param scan of its {@code tokenizer.json}
 * @param frame what begins and ends a text
 * @param special tokens that control a model
 * @param hasSafeBorders whether {@link SafeBorders} may split its texts
 * @param patterns its regular expressions
 */
record TokenizerDescription(
        VocabularyScan scan, TextFrame frame, SpecialTokens special, boolean hasSafeBorders, PatternLimits patterns) {
    /** @throws DataException if a file's contents are invalid */
    static TokenizerDescription of(TokenizerFiles files, HuggingFaceOptions options) {
        String path = files.path().toString();
        var declared = TokenizerDeclarations.of(files);
        var scan = VocabularyScan.of(files, declared, options.choice());
        AddedTokens.requireLibraryIds(scan, declared.statedIds(), path);
        boolean safeBorders = BorderRule.allows(scan.sections());
        var patterns = PatternLimits.of(
                Map.of(
                        "normalizer",
                        scan.sections().normalizer(),
                        "pre_tokenizer",
                        scan.sections().byName().path("pre_tokenizer"),
                        "decoder",
                        scan.sections().byName().path("decoder")),
                growth(scan.sections(), safeBorders),
                path);
        var frame = TextFrame.of(options.choice(), declared, scan, path);
        return new TokenizerDescription(
                scan, frame, AddedTokens.special(scan, frame.begin(), frame.end()), safeBorders, patterns);
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
