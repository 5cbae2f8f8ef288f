package io.hirundo.dataloader.internal.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.hirundo.dataloader.internal.decoding.ByteOrderMark;
import java.io.IOException;

/**
 * What the first bytes of a file are: C4 and Dolma call JSON lines {@code .json.gz}, Megatron-LM calls them {@code .json}, and a JSON
 * array has the same name.
 */
enum JsonContent {
    /** The first line is an object, and no other line contradicts. */
    LINES,
    /** One value of several lines, or an array. */
    DOCUMENT,
    /** Anything else. */
    NONE;

    /** Bytes at the start of a file that decide. */
    static final int HEAD_BYTES = 1 << 16;

    private static final int LONGEST_CUT_BYTES = 16;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    /** {@code head}: up to {@link #HEAD_BYTES} bytes; all of a smaller file. */
    static JsonContent of(byte[] head) throws IOException {
        int first = skipSpace(head, ByteOrderMark.bytes(head, head.length));
        if (first == head.length || head[first] != '{' && head[first] != '[') {
            return NONE;
        }
        int end = end(head, first);
        if (end < 0) {
            return NONE;
        }
        int next = skipSpace(head, end);
        boolean isOneLine = skipToLineEnd(head, first, end) == end;
        boolean isLast = next == head.length;
        if (head[first] == '[') {
            return isLast ? DOCUMENT : NONE;
        }
        if (!isOneLine) {
            // An object of several lines, alone or before others.
            return isLast || head[next] == '{' ? DOCUMENT : NONE;
        }
        return isLast || head[next] == '{' ? LINES : NONE;
    }

    /** Where the first value ends, or what is known of it; -1 if it is no JSON. */
    private static int end(byte[] head, int first) throws IOException {
        try (JsonParser parser = FACTORY.createParser(head, first, head.length - first)) {
            JsonToken token = parser.nextToken();
            if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
                parser.skipChildren();
                return first + (int) parser.currentLocation().getByteOffset();
            }
            return -1;
        } catch (JsonEOFException e) {
            return head.length;
        } catch (JsonProcessingException e) {
            // Where only the head is known, a name, a number or a character may be cut at its end.
            long at = first + Math.max(0, e.getLocation().getByteOffset());
            return head.length == HEAD_BYTES && at > head.length - LONGEST_CUT_BYTES ? head.length : -1;
        }
    }

    private static int skipSpace(byte[] bytes, int from) {
        int at = from;
        while (at < bytes.length && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n')) {
            at++;
        }
        return at;
    }

    /** The first line end between two places; the second place if there is none. */
    private static int skipToLineEnd(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != '\n') {
            at++;
        }
        return at;
    }
}
