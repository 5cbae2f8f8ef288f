package io.hirundo.lib.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.JsonComplaint;
import java.io.IOException;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/** A position in JSON text. Every failure becomes the caller's exception, which names the text and the value's path. */
final class JsonCursor implements AutoCloseable {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_NAME_CHARS = 10_000;
    private static final int MAX_NUMBER_CHARS = 100;
    /** Checksums of a large piece are one text. The caller bounds the complete text. */
    private static final int MAX_TEXT_CHARS = Integer.MAX_VALUE;

    private static final Pattern INDEX = Pattern.compile("/(\\d+)(?=/|$)");
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNameLength(MAX_NAME_CHARS)
                    .maxNumberLength(MAX_NUMBER_CHARS)
                    .maxStringLength(MAX_TEXT_CHARS)
                    .build())
            .build();

    /** Work with the parser. */
    interface Work<T> {
        T with(JsonParser parser) throws IOException;
    }

    private final JsonParser parser;
    private final String where;
    private final BiFunction<String, Throwable, ? extends RuntimeException> failure;

    /** Opens the text and moves to its first value; see {@link JsonInput}. */
    JsonCursor(
            byte[] text,
            int begin,
            int length,
            String where,
            BiFunction<String, Throwable, ? extends RuntimeException> failure) {
        this.where = where;
        this.failure = failure;
        this.parser = read(none -> FACTORY.createParser(text, begin, length));
        next();
    }

    <T> T read(Work<T> work) {
        try {
            return work.with(parser);
        } catch (StreamConstraintsException e) {
            throw wrong(
                    " is nested more than " + MAX_DEPTH
                            + " levels deep or has a name or number that is too long, at byte " + position(),
                    e);
        } catch (JacksonException e) {
            throw wrong(
                    " is not valid JSON at byte " + position() + ": " + JsonComplaint.of(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw wrong(" cannot be read: " + Reason.of(e), e);
        }
    }

    long position() {
        return parser == null ? 0 : parser.currentLocation().getByteOffset();
    }

    JsonToken next() {
        return read(JsonParser::nextToken);
    }

    /** The token here; null at the end. */
    JsonToken token() {
        return parser.currentToken();
    }

    /** The string or number here, as text. */
    String text() {
        return read(JsonParser::getText);
    }

    /** For instance {@code tensors[3].shape}; empty for the outermost value. */
    String path() {
        String pointer = parser.getParsingContext().pathAsPointer().toString();
        String path = INDEX.matcher(pointer).replaceAll("[$1]").replace('/', '.');
        return Excerpt.of(path.startsWith(".") ? path.substring(1) : path);
    }

    /** Throws if the value here is not allowed. */
    void require(boolean isAllowed, String allowed) {
        if (!isAllowed) {
            String name = path().isEmpty() ? "" : ": field " + path();
            throw wrong(name + " is " + shown() + " (allowed: " + allowed + ")", null);
        }
    }

    private String shown() {
        return switch (token()) {
            case null -> "cut off";
            case START_OBJECT, END_OBJECT -> "an object";
            case START_ARRAY, END_ARRAY -> "a list";
            case VALUE_STRING -> '"' + Excerpt.of(text()) + '"';
            default -> Excerpt.of(text());
        };
    }

    /** {@code what} continues the name of the text. */
    RuntimeException wrong(String what, Throwable cause) {
        return failure.apply(where + what, cause);
    }

    @Override
    public void close() {
        read(open -> {
            open.close();
            return null;
        });
    }
}
