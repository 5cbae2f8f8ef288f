package io.hirundo.tokenizerhf.internal.safety;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.tokenizerhf.internal.SafeBorders;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatternParserTest {
    private static final String CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
    private static final String SPACES = "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    /** As published with the models. */
    static Stream<String> publishedPatterns() {
        String upper = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
        String lower = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
        String hanUpper = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]";
        String hanLower = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]";
        return Stream.of(
                // Llama 3, SmolLM3
                SafeBorders.WORDS_WITH_DIGIT_TRIPLES,
                // Qwen 2 and 3
                CONTRACTIONS + "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*" + SPACES,
                // Qwen 3.5
                CONTRACTIONS + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*"
                        + SPACES,
                // GPT-4 (cl100k): DBRX, OLMo 2, Granite, StableLM 2
                "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
                // GPT-2, StarCoder, Phi 1 to 2, Falcon
                "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
                "[0-9][0-9][0-9]",
                // GPT-4o (o200k): gpt-oss, Llama 4, Phi 4 mini
                "[^\\r\\n\\p{L}\\p{N}]?" + upper + "*" + lower + "+" + CONTRACTIONS + "?|[^\\r\\n\\p{L}\\p{N}]?" + upper
                        + "+" + lower + "*" + CONTRACTIONS + "?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" + SPACES,
                // Mistral's Tekken
                "[^\\r\\n\\p{L}\\p{N}]?" + upper + "*" + lower + "+|[^\\r\\n\\p{L}\\p{N}]?" + upper + "+" + lower
                        + "*|\\p{N}" + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" + SPACES,
                // Kimi K2
                "[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?" + hanUpper + "*" + hanLower + "+" + CONTRACTIONS
                        + "?|[^\\r\\n\\p{L}\\p{N}]?" + hanUpper + "+" + hanLower + "*" + CONTRACTIONS
                        + "?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*" + SPACES,
                // DeepSeek V2, V3
                "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*"
                        + SPACES,
                "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
                "\\p{N}{1,3}",
                // DeepSeek Coder
                "[\\r\\n]",
                "\\s?\\p{L}+",
                "\\s?\\p{P}+",
                "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+",
                "\\s+$",
                "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+",
                // BLOOM
                " ?[^(\\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+",
                // XLM-RoBERTa, T5, CLIP
                " {2,}",
                "\\s+",
                "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
                // SuperBPE, and digits in threes from the right
                "(?=(\\d{3})+(?!\\d))",
                "\\d{1,3}(?=(\\d{3})*\\b)",
                // Molecules
                "(\\[[^\\]]+]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\\(|\\)|\\.|=|#|-|\\+|\\\\|\\/|:|~|@|\\?|>|\\*|\\$|\\%[0-9]{2}|[0-9])");
    }

    @ParameterizedTest
    @MethodSource("publishedPatterns")
    void acceptsPatternsOfPublishedTokenizers(String pattern) {
        assertTrue(PatternParser.parse(pattern).retries().linear() < 20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a+)+$",
                "(?:a|a)+$",
                "(a*)*",
                "(a|b|ab)*c",
                "(?:a{1,9}){1,9}$",
                "a**b",
                "a{2,3}+b",
                "(?:a+b)*c",
                "(?=(a+)+$)b",
                "(?i)(a+)+$",
                "(?:(?:a?){9}){9}(?:a{9}){9}b",
                "(?:(?:a{999}){999}){999}"
            })
    void rejectsExponentialPatterns(String pattern) {
        var e = assertThrows(UnsafePatternException.class, () -> PatternParser.parse(pattern));
        assertTrue(e.getMessage().contains("exponential or quadratic"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\s*\\s*x", "\\d+\\d+\\d", "(\\w+\\s?)*$"})
    void rejectsQuadraticPatterns(String pattern) {
        assertThrows(UnsafePatternException.class, () -> PatternParser.parse(pattern));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\\1",
                "(?<n>a)\\k<n>",
                "\\g<0>",
                "(?~ab)",
                "(?(1)a|b)",
                "(?x) # (",
                "(?{a})",
                "(*FAIL)",
                "(a",
                "a)",
                "[a",
                "a\\",
                "*a",
                "(?<!"
            })
    void rejectsUnknownSyntax(String pattern) {
        assertThrows(UnsafePatternException.class, () -> PatternParser.parse(pattern));
    }

    @Test
    void boundsNestingAndLength() {
        int depth = PatternParser.MOST_NESTED - 1;
        PatternParser.parse("(".repeat(depth) + "a" + ")".repeat(depth));
        for (String pattern : List.of(
                "(".repeat(20_000) + "a" + ")".repeat(20_000),
                "(".repeat(60) + "a" + ")".repeat(60),
                "(?i)".repeat(60) + "a",
                "[".repeat(60) + "a" + "]".repeat(60),
                "a".repeat(PatternParser.MOST_CHARS + 1))) {
            assertThrows(UnsafePatternException.class, () -> PatternParser.parse(pattern));
        }
    }

    @Test
    void countsOnlyWhatALaterPartCanMakeFail() {
        assertEquals(
                0,
                PatternParser.parse(" ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*").retries().linear());
        assertEquals(0, PatternParser.parse("(?:\\p{L}\\p{M}*+)").retries().linear());
        assertTrue(PatternParser.parse("\\s*[\\r\\n]+").retries().linear() > 0);
        assertTrue(PatternParser.parse("]a[]b]{2,}c").retries().linear() > 0);
    }
}
