package io.hirundo.lib.configuration.document;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.dataformat.yaml.snakeyaml.error.MarkedYAMLException;
import io.hirundo.lib.input.JsonComplaint;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Translates error messages of the JSON and YAML parsers for users; {@link JsonComplaint} does the same for JSON. The YAML parser names
 * grammar productions ("while parsing a block mapping"). Errors without a matching pattern are reported as invalid YAML with their
 * position.
 */
final class ParserMessage {
    private record Replacement(Pattern pattern, String message) {
        static Replacement of(String pattern, String message) {
            return new Replacement(Pattern.compile(pattern, Pattern.DOTALL), message);
        }
    }

    private static final String TWICE = "Duplicate field ";

    /** Patterns for the parser's context and problem, joined by a line break. */
    private static final List<Replacement> YAML = List.of(
            Replacement.of(
                    "'\\\\t\\(TAB\\)'|found a tab character|TAB",
                    "a tab stands where indentation is expected; indent with spaces"),
            Replacement.of(
                    "mapping values are not allowed here",
                    "a second \": \" on one line, or a key at a wrong indentation; put text that contains \": \" in quotes"),
            Replacement.of(
                    "unknown escape character|expected escape sequence",
                    "an unknown escape sequence in a text in double quotes; use single quotes, or write \\\\ for a backslash"),
            Replacement.of(
                    "while scanning a (?:quoted|double-quoted|single-quoted) scalar",
                    "a quoted text does not end; close the quotes"),
            Replacement.of(
                    "while parsing a flow (?:mapping|sequence)",
                    "a list [...] or an object {...} does not end, or lacks a comma; close it"),
            Replacement.of(
                    "could not find expected ':'",
                    "a key has no colon, or is longer than 1,024 characters; write KEY: VALUE"),
            Replacement.of(
                    "while parsing a block (?:mapping|collection)",
                    "the indentation does not match the lines above, or text follows a closing quote; start the keys of one object in the same column"),
            Replacement.of(
                    "while scanning for the next token",
                    "a value cannot start with this character; put the text in quotes"),
            Replacement.of(
                    "sequence entries are not allowed here",
                    "a list cannot start here; put \"- \" on a line of its own"),
            Replacement.of(
                    "while scanning an? (?:anchor|alias)",
                    "the name of an anchor or alias is not valid; use letters and digits"),
            Replacement.of(
                    "found incompatible YAML document|YAML directive|while scanning a directive",
                    "this %directive is not supported; remove it"),
            Replacement.of(
                    "block scalar", "the header of a text block is not valid; write | or > at the end of the line"),
            Replacement.of("special characters are not allowed", "the text contains a control character; remove it"),
            Replacement.of("Expected a field name", "a key is a list or an object; use text as a key"));

    private ParserMessage() {}

    /** Converts a parser failure, with its position. */
    static SyntaxFault of(JsonProcessingException failure, JsonParser parser, boolean isYaml) {
        String message = String.valueOf(failure.getOriginalMessage());
        if (failure instanceof StreamConstraintsException) {
            return new SyntaxFault(limit(message), parser.currentLocation());
        }
        if (failure instanceof MarkedYAMLException marked) {
            var mark = marked.getProblemMark() == null ? marked.getContextMark() : marked.getProblemMark();
            return new SyntaxFault(
                    yaml(marked.getContext() + "\n" + marked.getProblem()),
                    mark == null ? 0 : mark.getLine() + 1,
                    mark == null ? 0 : mark.getColumn() + 1);
        }
        String found = isYaml && !message.startsWith(TWICE) ? yaml(message) : JsonComplaint.of(message);
        JsonLocation location = failure.getLocation();
        return location == null ? new SyntaxFault(found, 0, 0) : new SyntaxFault(found, location);
    }

    private static String yaml(String message) {
        return YAML.stream()
                .filter(words -> words.pattern().matcher(message).find())
                .map(Replacement::message)
                .findFirst()
                .orElse("this is not valid YAML");
    }

    private static String limit(String message) {
        if (message.contains("nesting depth")) {
            return "objects and lists are nested more than " + Documents.MAX_LEVELS + " levels deep";
        }
        return message.contains("Number value length")
                ? "a number has more than " + Documents.MAX_DIGITS + " digits"
                : "a key or a text is too long";
    }
}
