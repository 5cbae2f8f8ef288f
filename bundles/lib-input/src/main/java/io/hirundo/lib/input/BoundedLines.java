package io.hirundo.lib.input;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Lines of a file from elsewhere, in bounded memory. */
public final class BoundedLines {
  private BoundedLines() {}

  /** Takes the lines, one after the other. */
  @FunctionalInterface
  public interface LineReader {
    /**
     * Takes a line.
     *
     * @param line its bytes, without the newline; belongs to the reader
     */
    void read(byte[] line) throws IOException;
  }

  /**
   * Reads to the end of the stream. Only {@code \n} ends a line; an empty last line is none.
   *
   * @param in read to its end, not closed
   * @param maxBytes of a line, without the newline
   * @param tooLong runs in place of the reader for each longer line
   */
  public static void read(InputStream in, int maxBytes, LineReader reader, Runnable tooLong) throws IOException {
    var buffered = new BufferedInputStream(in);
    var line = new ByteArrayOutputStream();
    boolean isTooLong = false;
    for (int value = buffered.read(); value >= 0; value = buffered.read()) {
      if (value == '\n') {
        end(line, isTooLong, reader, tooLong);
        isTooLong = false;
      } else if (line.size() < maxBytes) {
        line.write(value);
      } else {
        isTooLong = true;
      }
    }
    if (line.size() > 0) {
      end(line, isTooLong, reader, tooLong);
    }
  }

  private static void end(ByteArrayOutputStream line, boolean isTooLong, LineReader reader, Runnable tooLong) throws IOException {
    if (isTooLong) {
      tooLong.run();
    } else {
      reader.read(line.toByteArray());
    }
    line.reset();
  }
}
