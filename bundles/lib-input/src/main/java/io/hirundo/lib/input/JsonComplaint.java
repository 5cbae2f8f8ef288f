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
    private record Words(Pattern pattern, String words) {
        static Words of(String pattern, String words) {
            return new Words(Pattern.compile(pattern, Pattern.DOTALL), words);
        }
    }

    private static final List<Words> KNOWN = List.of(
            Words.of("end-of-input", "it ends too early"),
            Words.of("Trailing token", "more text follows the value"),
            Words.of("^Duplicate field '(.*)'", "the key '$1' occurs twice"),
            Words.of("Unrecognized token '(.*?)'", "'$1' is not a JSON value"),
            Words.of("Unexpected character \\('(.)'", "unexpected character '$1'"),
            Words.of("Unexpected character|Illegal", "unexpected control character"),
            Words.of("Invalid UTF-8", "it is not UTF-8 text"),
            Words.of("character escape", "unknown escape sequence"),
            Words.of("nesting depth", "it is nested too deeply"),
            Words.of("Number value length|Invalid numeric", "a number has too many digits or is malformed"),
            Words.of("length", "a text or a name is too long"),
            Words.of(
                    "^(?:Cannot|Can not|No content|Current token|Mismatched|Null)|out of range",
                    "a value has another type than expected"));

    private JsonComplaint() {}

    /** Explanation without a final period; {@code message} is the parser's message and may be null. */
    public static String of(String message) {
        if (message != null) {
            for (Words known : KNOWN) {
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
