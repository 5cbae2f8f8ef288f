package io.hirundo.lib.input;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translates messages of a JSON parser for users. The parser's own messages contain tokens, classes and source references ({@code
 * [Source: REDACTED ...]}). Works on the message text, so that this library needs no parser.
 */
public final class JsonComplaint {
    /** {@code $1} in the words is the first group of the pattern. */
    private record Explanation(Pattern pattern, String words) {
        static Explanation of(String pattern, String words) {
            return new Explanation(Pattern.compile(pattern, Pattern.DOTALL), words);
        }
    }

    private static final List<Explanation> KNOWN = List.of(
            Explanation.of("end-of-input", "it ends too early"),
            Explanation.of("Trailing token", "more text follows the value"),
            Explanation.of("^Duplicate field '(.*)'", "the key '$1' occurs twice"),
            Explanation.of("^Missing (?:required )?creator property '(.*?)'", "the key '$1' is missing"),
            Explanation.of("Unrecognized token '(.*?)'", "'$1' is not a JSON value"),
            Explanation.of("Unexpected character \\('(.)'", "unexpected character '$1'"),
            Explanation.of("Unexpected character|Illegal", "unexpected control character"),
            Explanation.of("Invalid UTF-8", "it is not UTF-8 text"),
            Explanation.of("character escape", "unknown escape sequence"),
            Explanation.of("nesting depth", "it is nested too deeply"),
            Explanation.of("Number value length|Invalid numeric", "a number has too many digits or is malformed"),
            Explanation.of("length", "a text or a name is too long"),
            Explanation.of(
                    "^(?:Cannot|Can not|No content|Current token|Mismatched|Null)|out of range",
                    "a value has another type than expected"));

    private JsonComplaint() {}

    /** Explanation without a final period; {@code message} is the parser's message and may be null. */
    public static String of(String message) {
        if (message != null) {
            for (Explanation known : KNOWN) {
                Matcher matcher = known.pattern().matcher(message);
                if (matcher.find()) {
                    return matcher.groupCount() == 0
                            ? known.words()
                            : known.words().replace("$1", Excerpt.of(String.valueOf(matcher.group(1))));
                }
            }
        }
        return "it is not valid JSON";
    }
}
