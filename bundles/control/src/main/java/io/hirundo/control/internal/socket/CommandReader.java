package io.hirundo.control.internal.socket;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Lines that come in, none longer than a command can be: who sends more than that is not typing. */
final class CommandReader {
  /** Enough for a blend of many datasets. */
  static final int LONGEST_BYTES = 1 << 16;

  private final InputStream in;

  CommandReader(InputStream in) {
    this.in = in;
  }

  /**
   * The next line, nothing at the end.
   *
   * @throws IOException when there is no line, but too many bytes
   */
  Optional<String> next() throws IOException {
    var line = new ByteArrayOutputStream();
    int value = in.read();
    while (value >= 0 && value != '\n') {
      if (line.size() == LONGEST_BYTES) {
        throw new IOException("a command has more than " + LONGEST_BYTES + " bytes");
      }
      line.write(value);
      value = in.read();
    }
    return value < 0 && line.size() == 0
        ? Optional.empty()
        : Optional.of(line.toString(StandardCharsets.UTF_8).strip());
  }
}
