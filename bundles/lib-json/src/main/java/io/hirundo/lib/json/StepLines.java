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

/** A file of JSON objects, a line each, that a run appends to and that an earlier attempt of the same run may have left. */
public final class StepLines {
  private static final JsonFactory JSON = new JsonFactory();

  /** Takes every byte as it is, also half of a character at the end of a line that was cut short. */
  private static final Charset BYTES = StandardCharsets.ISO_8859_1;

  private StepLines() {}

  /**
   * Drops lines whose field {@code step} is this or more, lines without one, and lines that a crash cut short; the others stay byte for
   * byte. The file is replaced atomically, and not touched if there is nothing to drop.
   *
   * @throws IOException also if the file is a symbolic link
   */
  public static void dropFrom(long firstStep, Path file) throws IOException {
    OutputFiles.requireOwnFile(file);
    if (Files.exists(file) && Files.size(file) != copyBefore(firstStep, file, OutputStream.nullOutputStream())) {
      AtomicFile.write(file, out -> copyBefore(firstStep, file, out));
    }
  }

  /** Copies the lines that stay, in constant memory. Returns how many bytes they have, -1 if it dropped a line. */
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
      // Cut short, nested too deeply, a number of 2,000 digits: no line of Hirundo's.
      return false;
    }
  }
}
