package io.hirundo.monitor.internal.jsonl;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.hirundo.lib.input.InputFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/** What an earlier attempt of the same run left in its {@code metrics.jsonl}. */
final class EarlierAttempt {
  private static final JsonFactory JSON = new JsonFactory();

  /** Takes every byte as it is, also half of a character at the end of a line that was cut short. */
  private static final Charset BYTES = StandardCharsets.ISO_8859_1;

  private EarlierAttempt() {}

  /**
   * Drops lines of this step and later ones, and lines that a crash cut short; the others stay byte for byte. The file is
   * replaced at once, or not touched where there is nothing to drop.
   */
  static void forgetFrom(long firstStep, Path file) throws IOException {
    Path kept = keptBeside(file);
    boolean complete;
    try {
      InputFiles.requireRegular(file);
    } catch (NoSuchFileException e) {
      // The first attempt.
      return;
    }
    try (Stream<String> lines = Files.lines(file, BYTES);
        BufferedWriter out = Files.newBufferedWriter(kept, BYTES)) {
      complete = copyBefore(firstStep, lines, out);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    if (complete && Files.size(kept) == Files.size(file)) {
      Files.delete(kept);
    } else {
      Files.move(kept, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Where lines that stay are collected. */
  static Path keptBeside(Path file) {
    return file.resolveSibling(file.getFileName() + ".kept");
  }

  /** Whether all lines were copied. */
  private static boolean copyBefore(long firstStep, Stream<String> lines, BufferedWriter out) throws IOException {
    boolean complete = true;
    for (var remaining = lines.iterator(); remaining.hasNext(); ) {
      String line = remaining.next();
      if (isBefore(firstStep, line)) {
        out.write(line);
        out.write('\n');
      } else {
        complete = false;
      }
    }
    return complete;
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
    } catch (JsonParseException cutShort) {
      return false;
    }
  }
}
