package io.hirundo.checkpointdcp.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.CheckpointException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * A manifest as bytes: JSON whose first field is the CRC32C of the second's bytes, just as they stand there, so that a torn
 * or altered manifest is known before it is believed. Thread-safe.
 */
final class ManifestText {
  private static final String PREFIX = "{\"crc32c\":\"";
  private static final String MIDDLE = "\",\"manifest\":";
  private static final String SUFFIX = "}\n";
  private static final int BODY_BEGIN = PREFIX.length() + 8 + MIDDLE.length();

  private final JsonMapper mapper =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_LONG_FOR_INTS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  byte[] write(Manifest manifest) {
    try {
      byte[] body = mapper.writeValueAsBytes(manifest);
      var text = new ByteArrayOutputStream(body.length + BODY_BEGIN + SUFFIX.length());
      text.writeBytes(ascii(PREFIX + HexFormat.of().toHexDigits(crc32c(body)) + MIDDLE));
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
    if (end < BODY_BEGIN || !string(text, 0, PREFIX.length()).equals(PREFIX) || !string(text, end, text.length).equals(SUFFIX)) {
      throw new CheckpointException(where + " is cut off or not a manifest");
    }
    byte[] body = java.util.Arrays.copyOfRange(text, BODY_BEGIN, end);
    String expected = PREFIX + HexFormat.of().toHexDigits(crc32c(body)) + MIDDLE;
    if (!string(text, 0, BODY_BEGIN).equals(expected)) {
      throw new CheckpointException(where + " is damaged: its checksum is wrong");
    }
    try {
      var header = mapper.treeToValue(mapper.readTree(body).path("header"), Manifest.Header.class);
      if (header == null || !Manifest.FORMAT.equals(header.format()) || header.version() != Manifest.VERSION) {
        throw new CheckpointException(
            where + " is not of version " + Manifest.VERSION + ", which this program reads: " + header
                + "; use the version of Hirundo that wrote it");
      }
      return mapper.readValue(body, Manifest.class);
    } catch (IOException | IllegalArgumentException | NullPointerException e) {
      throw new CheckpointException(where + " is not a manifest: " + e.getMessage(), e);
    }
  }

  private static int crc32c(byte[] bytes) {
    var checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String string(byte[] text, int begin, int end) {
    return new String(text, begin, end - begin, StandardCharsets.ISO_8859_1);
  }
}
