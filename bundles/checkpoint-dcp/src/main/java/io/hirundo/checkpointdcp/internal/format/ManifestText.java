package io.hirundo.checkpointdcp.internal.format;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.CheckpointException;
import io.hirundo.lib.input.InputFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * A manifest as bytes: JSON whose first field is the CRC32C of the second's bytes, just as they stand there, so that a torn
 * or altered manifest is known before it is believed. Thread-safe.
 */
public final class ManifestText {
    private static final String PREFIX = "{\"crc32c\":\"";
    private static final String MIDDLE = "\",\"manifest\":";
    private static final String SUFFIX = "}\n";
    private static final int BODY_BEGIN = PREFIX.length() + 8 + MIDDLE.length();

    private static final long LEAST_LIMIT_BYTES = 16L << 20;
    private static final long MOST_LIMIT_BYTES = 1L << 30;

    /** One for all: a mapper examines the types that it writes, which takes longer than to write a manifest. */
    private static final JsonMapper MAPPER = new JsonMapper();

    public byte[] write(Manifest manifest) {
        try {
            byte[] body = MAPPER.writeValueAsBytes(manifest);
            var text = new ByteArrayOutputStream(body.length + BODY_BEGIN + SUFFIX.length());
            text.writeBytes(ascii(PREFIX + HexFormat.of().toHexDigits(crc32c(body, 0, body.length)) + MIDDLE));
            text.writeBytes(body);
            text.writeBytes(ascii(SUFFIX));
            return text.toByteArray();
        } catch (JacksonException e) {
            throw new IllegalArgumentException("values that are not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * Reads a manifest, without a look at the files that it lists.
     *
     * @param where what the bytes are, for messages
     */
    Manifest read(byte[] text, String where) {
        int end = text.length - SUFFIX.length();
        if (end < BODY_BEGIN
                || !string(text, 0, PREFIX.length()).equals(PREFIX)
                || !string(text, end, text.length).equals(SUFFIX)) {
            throw new CheckpointException(where + " is cut off or not a manifest");
        }
        int bodyBytes = end - BODY_BEGIN;
        String expected = PREFIX + HexFormat.of().toHexDigits(crc32c(text, BODY_BEGIN, bodyBytes)) + MIDDLE;
        if (!string(text, 0, BODY_BEGIN).equals(expected)) {
            throw new CheckpointException(where + " is damaged: its checksum is wrong");
        }
        return ManifestReader.read(text, BODY_BEGIN, bodyBytes, where);
    }

    /**
     * Reads the manifest in a file, as {@link #read(byte[], String)}.
     *
     * @throws IOException also where it is no regular file, or larger than {@link #maxBytes}
     */
    public Manifest read(Path file) throws IOException {
        return read(InputFiles.readAllBytes(file, maxBytes()), file.toString());
    }

    /** What is read into memory at most: a sixteenth of the heap, because a manifest takes several times its size once it is read. */
    private static int maxBytes() {
        return (int) Math.clamp(Runtime.getRuntime().maxMemory() / 16, LEAST_LIMIT_BYTES, MOST_LIMIT_BYTES);
    }

    private static int crc32c(byte[] bytes, int begin, int length) {
        var checksum = new CRC32C();
        checksum.update(bytes, begin, length);
        return (int) checksum.getValue();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String string(byte[] text, int begin, int end) {
        return new String(text, begin, end - begin, StandardCharsets.ISO_8859_1);
    }
}
