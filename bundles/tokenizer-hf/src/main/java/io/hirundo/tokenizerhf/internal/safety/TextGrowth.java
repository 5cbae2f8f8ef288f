package io.hirundo.tokenizerhf.internal.safety;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * An upper bound on the length of a text after a normalizer's replacements. Six of one character by 64 make a text of 5,000 characters
 * 340 TB long.
 */
final class TextGrowth {
    /** Characters: the library takes about 20 bytes for each while it normalizes. */
    static final long MOST_CHARS = 1L << 27;

    /** Characters that patterns name: counts of characters in the image of each. */
    private final Map<Integer, Map<Integer, Double>> images = new HashMap<>();

    /** Factor of expressions, which may match any character. */
    private double ofAll = 1;

    private TextGrowth() {}

    /** @param normalizer the section of that name, with any nesting */
    static TextGrowth of(JsonNode normalizer) {
        var growth = new TextGrowth();
        growth.addAll(normalizer);
        return growth;
    }

    private void addAll(JsonNode node) {
        if (node.path("type").asText().equals("Replace")) {
            replace(node.path("pattern"), node.path("content").asText());
        }
        node.forEach(this::addAll);
    }

    private void replace(JsonNode pattern, String content) {
        if (pattern.path("String").isTextual()
                && !pattern.path("String").asText().isEmpty()) {
            replace(pattern.path("String").asText(), content);
        } else {
            boolean addsToEach = pattern.path("Regex").isMissingNode()
                    || matchesNothing(pattern.path("Regex").asText());
            ofAll *= addsToEach ? 1.0 + content.length() : Math.max(1, content.length());
        }
    }

    /** There are at most as many matches as first characters. Not all of these need match, unless the pattern is nothing else. */
    private void replace(String pattern, String content) {
        int first = pattern.codePointAt(0);
        boolean isOne = Character.charCount(first) == pattern.length();
        images.computeIfAbsent(first, TextGrowth::itself);
        Map<Integer, Long> added = counts(content);
        counts(isOne ? "" : pattern).forEach((c, count) -> added.merge(c, -count, Long::sum));
        for (Map<Integer, Double> image : images.values()) {
            double matches = image.getOrDefault(first, 0.0);
            if (isOne) {
                image.remove(first);
            }
            added.forEach((c, count) -> image.merge(c, matches * Math.max(0, count), Double::sum));
        }
    }

    private static Map<Integer, Long> counts(String text) {
        return text.codePoints().boxed().collect(Collectors.groupingBy(c -> c, HashMap::new, Collectors.counting()));
    }

    private static Map<Integer, Double> itself(int character) {
        var image = new HashMap<Integer, Double>();
        image.put(character, 1.0);
        return image;
    }

    private static boolean matchesNothing(String expression) {
        try {
            return Pattern.compile(expression).matcher("").find();
        } catch (PatternSyntaxException _) {
            return true;
        }
    }

    /** The bound for a text; no less than its length. */
    double charsOf(String text) {
        double sum = 0;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            sum += of(text.codePointAt(i));
        }
        return Math.max(text.length(), sum * ofAll);
    }

    private double of(int character) {
        Map<Integer, Double> image = images.get(character);
        return image == null
                ? 1
                : Math.max(
                        1,
                        image.values().stream().mapToDouble(Double::doubleValue).sum());
    }

    /** The largest factor of any text. */
    double most() {
        return ofAll * images.keySet().stream().mapToDouble(this::of).max().orElse(1);
    }
}
