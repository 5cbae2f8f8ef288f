package io.hirundo.tokenizerhf.internal.safety;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.tokenizerhf.internal.safety.PatternParser.Parsed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The regular expressions of a {@code tokenizer.json} and the texts that they may be applied to.
 *
 * <p>The native library ends the process when an expression fails more than 10,000,000 times at one position of a text (Oniguruma's retry
 * limit). So expressions whose attempts can grow faster than linearly are rejected, and the longest run that one repetition can match is
 * limited.
 */
public final class PatternLimits {
    private static final double MOST_RETRIES = 8e6;

    private static final String REGEX = "Regex";
    private static final int MOST_PATTERNS = 256;

    private final List<Parsed> patterns = new ArrayList<>();
    private long safeChars = Long.MAX_VALUE;

    private final TextGrowth replacements;
    private final double growth;

    private PatternLimits(double growth, TextGrowth replacements) {
        this.replacements = replacements;
        this.growth = growth * replacements.most();
    }

    /**
     * Checks all expressions.
     *
     * @param sections of the file, by name
     * @param growth how many times longer a text can get before the expressions see it
     * @param where name of the file, for messages
     * @throws DataException names the rejected expression
     */
    public static PatternLimits of(Map<String, JsonNode> sections, double growth, String where) {
        var limits = new PatternLimits(
                growth, TextGrowth.of(sections.getOrDefault("normalizer", MissingNode.getInstance())));
        sections.forEach((name, section) -> {
            for (JsonNode node : section.findValues(REGEX)) {
                limits.add(node.asText(), name, where);
            }
        });
        return limits;
    }

    private void add(String expression, String section, String where) {
        try {
            if (patterns.size() == MOST_PATTERNS) {
                throw new UnsafePatternException("is one of more than " + MOST_PATTERNS);
            }
            Parsed parsed = PatternParser.parse(expression);
            patterns.add(parsed);
            if (parsed.retries().linear() > 0) {
                double chars = (MOST_RETRIES - parsed.retries().constant())
                        / parsed.retries().linear()
                        / growth;
                safeChars = Math.min(safeChars, (long) chars);
            }
        } catch (UnsafePatternException e) {
            throw new DataException(
                    "tokenizer " + where + ": " + section + ": the expression '" + Excerpt.of(expression) + "' "
                            + e.getMessage()
                            + ", which the tokenizers' library does not survive: use a tokenizer with simpler expressions",
                    e);
        }
    }

    /**
     * Checks a text before it is encoded.
     *
     * @throws DataException if an expression could fail too often on it, or replacements make it too long
     */
    public void require(String text, String where) {
        if (text.length() * replacements.most() > TextGrowth.MOST_CHARS
                && replacements.charsOf(text) > Math.max(text.length(), TextGrowth.MOST_CHARS)) {
            throw new DataException(String.format(
                    Locale.ROOT,
                    "tokenizer %s: its normalizer makes a text of %,d characters longer than %,d: split the"
                            + " text, or use a tokenizer that replaces less",
                    where,
                    text.length(),
                    TextGrowth.MOST_CHARS));
        }
        if (text.length() <= safeChars) {
            return;
        }
        for (Parsed pattern : patterns) {
            for (String loop : pattern.retries().linear() > 0 ? pattern.loops() : List.<String>of()) {
                if (longestRun(text, loop) > safeChars) {
                    throw new DataException("tokenizer " + where + ": a text has more than " + safeChars
                            + " characters in a row that its expression " + Excerpt.of(loop)
                            + " takes, which the tokenizers' library does not survive: remove or split such runs");
                }
            }
        }
    }

    /** Uses Java's regular expressions; the length of the text if Java cannot parse the loop. Unicode versions may differ slightly. */
    private static long longestRun(String text, String loop) {
        Pattern run;
        try {
            run = Pattern.compile("(?:" + loop + ")++", Pattern.UNICODE_CHARACTER_CLASS);
        } catch (PatternSyntaxException e) {
            return text.length();
        }
        long longest = 0;
        for (Matcher matcher = run.matcher(text); matcher.find(); ) {
            longest = Math.max(longest, matcher.end() - matcher.start());
        }
        return longest;
    }
}
