package io.hirundo.lib.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A JSON-lines file that a run appends to; an earlier attempt of the same run may have written lines of it. */
public final class StepLines {
  private static final JsonFactory JSON = new JsonFactory();

  /** Maps every byte to one character, so that a truncated UTF-8 sequence passes unchanged. */
  private static final Charset BYTES = StandardCharsets.ISO_8859_1;

  private StepLines() {}

  /**
   * Drops lines of this step and later ones, lines without a step, and truncated lines; the others stay byte for byte. Replaces the
   * file atomically, or leaves it alone if there is nothing to drop.
   *
   * @throws IOException also if the file is a symbolic link
   */
  public static void dropFrom(long firstStep, Path file) throws IOException {
    OutputFiles.requireOwnFile(file);
    if (Files.exists(file) && Files.size(file) != copyBefore(firstStep, file, OutputStream.nullOutputStream())) {
      AtomicFile.write(file, out -> copyBefore(firstStep, file, out));
    }
  }

  /** Copies the remaining lines in constant memory. Returns their bytes, or -1 if it dropped a line. */
  private static long copyBefore(long firstStep, Path file, OutputStream out) throws IOException {
    long bytes = 0;
    boolean all = true;
    try (Stream<String> lines = Files.lines(file, BYTES)) {
      for (var remaining = lines.iterator(); remaining.hasNext(); ) {
        String line = remaining.next();
        if (isBefore(firstStep, line)) {
          byte[] complete = (line + '\n').getBytes(BYTES);
          out.write(complete);
          bytes += complete.length;
        } else {
          all = false;
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return all ? bytes : -1;
  }

  private static boolean isBefore(long firstStep, String line) throws IOException {
    try (JsonParser json = JSON.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      long step = Long.MAX_VALUE;
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        boolean isStep = json.currentName().equals("step");
        JsonToken value = json.nextToken();
        if (isStep && value == JsonToken.VALUE_NUMBER_INT) {
          step = json.getLongValue();
        }
        json.skipChildren();
      }
      return step < firstStep;
    } catch (JacksonException notOurs) {
      // Truncated, nested too deeply, a number of 2,000 digits: not written by Hirundo.
      return false;
    }
  }
}
