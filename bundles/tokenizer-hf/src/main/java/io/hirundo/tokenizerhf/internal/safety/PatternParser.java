package io.hirundo.tokenizerhf.internal.safety;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a regular expression in Oniguruma's Ruby syntax, as in {@code tokenizer.json}, to bound its cost. Rejects syntax that no
 * published tokenizer needs.
 */
final class PatternParser {
    static final int MOST_CHARS = 20_000;
    static final int MOST_NESTED = 40;

    private static final String ASSERTIONS = "bBAZzGyYK";
    private static final String UNKNOWN_ESCAPES = "kgCMc123456789";
    private static final Pattern INTERVAL = Pattern.compile("\\{(\\d{0,6})(?:(,)(\\d{0,6}))?\\}");
    private static final Pattern OPTIONS = Pattern.compile("\\?[im]*(?:-[im]*)?([:)])");
    private static final Pattern NAME = Pattern.compile("\\?(?:<\\w{1,50}>|'\\w{1,50}')");
    private static final Pattern CODE = Pattern.compile("[pPxo]\\{[^{}]{0,60}\\}");

    private final String text;
    private final List<String> loops = new ArrayList<>();
    private int at;
    private int nested;

    private PatternParser(String text) {
        this.text = text;
    }

    /**
     * The result.
     *
     * @param retries upper bound of failing attempts at one position of a text
     * @param loops the source of each unbounded repetition
     */
    record Parsed(Cost retries, List<String> loops) {}

    /** @throws UnsafePatternException if the expression is unsafe */
    static Parsed parse(String text) {
        if (text.length() > MOST_CHARS) {
            throw new UnsafePatternException(
                    String.format(Locale.ROOT, "has %,d characters (allowed: at most %,d)", text.length(), MOST_CHARS));
        }
        var parser = new PatternParser(text);
        Part whole = parser.alternatives();
        if (parser.at < text.length()) {
            throw new UnsafePatternException("has a closing parenthesis too many");
        }
        if (!whole.first().isBounded()) {
            throw new UnsafePatternException(
                    "has repetitions inside or after each other that can need exponential or quadratic time");
        }
        return new Parsed(whole.first(), List.copyOf(parser.loops));
    }

    private Part alternatives() {
        if (++nested > MOST_NESTED) {
            throw new UnsafePatternException("nests groups more than " + MOST_NESTED + " deep");
        }
        var parts = new ArrayList<Part>();
        parts.add(sequence());
        while (at < text.length() && text.charAt(at) == '|') {
            at++;
            parts.add(sequence());
        }
        nested--;
        return Part.alternatives(parts);
    }

    private Part sequence() {
        var parts = new ArrayList<Part>();
        while (at < text.length() && text.charAt(at) != '|' && text.charAt(at) != ')') {
            int begin = at;
            parts.add(quantified(begin, atom()));
        }
        return parts.isEmpty() ? Part.NOTHING : Part.sequence(parts);
    }

    private Part atom() {
        char c = text.charAt(at++);
        return switch (c) {
            case '(' -> group();
            case '[' -> {
                skipClass();
                yield Part.CHARACTER;
            }
            case '\\' -> escape();
            case '^', '$' -> Part.ASSERTION;
            case '*', '+', '?' -> throw new UnsafePatternException("repeats nothing at character " + at);
            default -> Part.CHARACTER;
        };
    }

    private Part group() {
        if (!looksAt("?")) {
            return closed(alternatives());
        }
        if (skips("?=") || skips("?!") || skips("?<=") || skips("?<!")) {
            return closed(alternatives()).lookaround();
        }
        if (skips("?>")) {
            return closed(alternatives()).atomic();
        }
        if (skips(NAME)) {
            return closed(alternatives());
        }
        Matcher options = OPTIONS.matcher(text).region(at, text.length());
        if (!options.lookingAt()) {
            throw new UnsafePatternException("has a group of an unknown kind at character " + at);
        }
        at = options.end();
        // Inline options without a group apply up to the end of the enclosing group, including alternatives.
        return options.group(1).equals(":") ? closed(alternatives()) : alternatives();
    }

    private Part closed(Part part) {
        if (at == text.length()) {
            throw new UnsafePatternException("has an open parenthesis too many");
        }
        at++;
        return part;
    }

    private boolean looksAt(String expected) {
        return text.startsWith(expected, at);
    }

    private boolean skips(String expected) {
        boolean found = looksAt(expected);
        at += found ? expected.length() : 0;
        return found;
    }

    private boolean skips(Pattern expected) {
        Matcher matcher = expected.matcher(text).region(at, text.length());
        boolean found = matcher.lookingAt();
        at = found ? matcher.end() : at;
        return found;
    }

    private Part escape() {
        if (at == text.length()) {
            throw new UnsafePatternException("ends with a backslash");
        }
        char c = text.charAt(at);
        if (UNKNOWN_ESCAPES.indexOf(c) >= 0) {
            throw new UnsafePatternException("has \\" + c + " (references and control codes are not supported)");
        }
        if (!skips(CODE)) {
            at++;
        }
        return ASSERTIONS.indexOf(c) >= 0 ? Part.ASSERTION : Part.CHARACTER;
    }

    /** Classes may be nested. A bracket right after the opening one is a character. */
    private void skipClass() {
        int depth = 1;
        boolean first = true;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '\\') {
                at++;
            } else if (c == '[') {
                if (++depth > MOST_NESTED) {
                    throw new UnsafePatternException("nests character classes more than " + MOST_NESTED + " deep");
                }
                first = true;
                continue;
            } else if (c == ']' && !first && --depth == 0) {
                return;
            }
            first = c == '^' && first;
        }
        throw new UnsafePatternException("has a character class without an end");
    }

    private Part quantified(int begin, Part atom) {
        Part part = atom;
        int end = at;
        while (at < text.length()) {
            int least;
            int most;
            Matcher interval = INTERVAL.matcher(text).region(at, text.length());
            char c = text.charAt(at);
            if (c == '?' || c == '*' || c == '+') {
                at++;
                least = c == '+' ? 1 : 0;
                most = c == '?' ? 1 : Integer.MAX_VALUE;
            } else if (interval.lookingAt()
                    && interval.end() - at > 2
                    && !interval.group().equals("{,}")) {
                at = interval.end();
                least = interval.group(1).isEmpty() ? 0 : Integer.parseInt(interval.group(1));
                most = interval.group(2) == null
                        ? least
                        : interval.group(3).isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(interval.group(3));
            } else {
                break;
            }
            if (most == Integer.MAX_VALUE) {
                loops.add(text.substring(begin, end));
            }
            Part repeated = part.repeated(least, Math.max(least, most));
            // In this syntax {n,m}+ repeats the repetition, and only ?+ *+ ++ are possessive.
            boolean simple = text.charAt(at - 1) != '}';
            boolean possessive = simple && skips("+");
            part = possessive ? repeated.atomic() : repeated;
            if (!possessive) {
                skips("?");
            }
            end = at;
        }
        return part;
    }
}
