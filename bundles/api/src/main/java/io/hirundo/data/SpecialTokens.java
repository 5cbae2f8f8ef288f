package io.hirundo.data;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The special tokens of a {@link Tokenizer} by name: those that control a model and that no text means, such as {@code <|end_of_text|>}.
 * Immutable.
 */
public final class SpecialTokens {
    /** No special tokens. */
    public static final SpecialTokens NONE = new SpecialTokens(Map.of());

    private final Map<String, Integer> ids;
    /** Names with a common beginning stand next to each other. */
    private final String[] sorted;

    private final BitSet firstCharacters = new BitSet();

    /**
     * A name in a text.
     *
     * @param begin index of its first character
     * @param end index after its last character
     * @param name of the special token
     * @param id of the special token
     */
    public record Match(int begin, int end, String name, int id) {}

    private SpecialTokens(Map<String, Integer> ids) {
        this.ids = ids;
        sorted = ids.keySet().stream().sorted().toArray(String[]::new);
        ids.keySet().forEach(name -> firstCharacters.set(name.charAt(0)));
    }

    /** @param ids of the tokens by name; an empty name is ignored, because no text contains it */
    public static SpecialTokens of(Map<String, Integer> ids) {
        var named = new LinkedHashMap<String, Integer>();
        ids.forEach((name, id) -> {
            if (!name.isEmpty()) {
                named.put(name, Objects.requireNonNull(id, "id"));
            }
        });
        return named.isEmpty() ? NONE : new SpecialTokens(named);
    }

    /** The ids by name. */
    public Map<String, Integer> ids() {
        return new LinkedHashMap<>(ids);
    }

    /** The id of a name; empty if no special token has it. */
    public OptionalInt id(String name) {
        Integer id = ids.get(name);
        return id == null ? OptionalInt.empty() : OptionalInt.of(id);
    }

    /** Whether a text contains a name. */
    public boolean occurIn(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (longestAt(text, at) != null) {
                return true;
            }
        }
        return false;
    }

    /** The names in a text from left to right, without overlaps; of several at one place the longest. */
    public List<Match> in(String text) {
        var matches = new ArrayList<Match>();
        int at = 0;
        while (at < text.length()) {
            String name = longestAt(text, at);
            if (name == null) {
                at++;
            } else {
                matches.add(new Match(at, at + name.length(), name, ids.get(name)));
                at += name.length();
            }
        }
        return matches;
    }

    /** Null without a name there. */
    private String longestAt(String text, int begin) {
        if (!firstCharacters.get(text.charAt(begin))) {
            return null;
        }
        String longest = null;
        int from = 0;
        int to = sorted.length;
        for (int depth = 0; begin + depth < text.length() && from < to; depth++) {
            char next = text.charAt(begin + depth);
            from = firstFrom(from, to, depth, next);
            to = firstFrom(from, to, depth, next + 1);
            // Of names with the same beginning, the one without more characters is the first.
            longest = from < to && sorted[from].length() == depth + 1 ? sorted[from] : longest;
        }
        return longest;
    }

    /** Of the names {@code from} to {@code to}, which share {@code depth} characters, the first whose next one is {@code next} or more. */
    private int firstFrom(int from, int to, int depth, int next) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle].length() <= depth || sorted[middle].charAt(depth) < next) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
