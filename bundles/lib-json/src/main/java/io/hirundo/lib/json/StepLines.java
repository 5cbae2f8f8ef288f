package io.hirundo.lib.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.BoundedLines;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A JSON-lines file that a run appends to; an earlier attempt of the same run may have written lines of it. */
public final class StepLines {
  private static final JsonFactory JSON = new JsonFactory();

  /** More than Hirundo writes: fingerprints of all tensors of a model are the longest lines. */
  private static final int MAX_LINE_BYTES = 4 << 20;

  private StepLines() {}

  /**
   * Drops lines of this step and later ones, lines without a step, truncated lines, and lines of more than 4 MiB; the others stay byte
   * for byte. Replaces the file atomically, or leaves it alone if there is nothing to drop.
   *
   * @throws IOException also if the file is a symbolic link
   */
  public static void dropFrom(long firstStep, Path file) throws IOException {
    OutputFiles.requireOwnFile(file);
    if (Files.exists(file) && Files.size(file) != copyBefore(firstStep, file, OutputStream.nullOutputStream())) {
      AtomicFile.write(file, out -> copyBefore(firstStep, file, out));
    }
  }

  /** Copies the remaining lines in bounded memory. Returns their bytes, or -1 if it dropped a line. */
  private static long copyBefore(long firstStep, Path file, OutputStream out) throws IOException {
    var copy = new Object() {
      long bytes;
      boolean isComplete = true;
    };
    try (InputStream in = Files.newInputStream(file)) {
      BoundedLines.read(
          in,
          MAX_LINE_BYTES,
          line -> {
            if (isBefore(firstStep, line)) {
              out.write(line);
              out.write('\n');
              copy.bytes += line.length + 1;
            } else {
              copy.isComplete = false;
            }
          },
          () -> copy.isComplete = false);
    }
    return copy.isComplete ? copy.bytes : -1;
  }

  private static boolean isBefore(long firstStep, byte[] line) throws IOException {
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
