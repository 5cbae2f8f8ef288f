package io.hirundo.monitor.internal.jsonl;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of lines that grows at its end. A line that could not be written whole never spoils the one after it. A file that
 * somebody deletes is begun anew, for lines of a file without a name are lost.
 */
final class MetricsFile implements AutoCloseable {
  private final Path path;
  private FileChannel channel;
  private long wholeBytes;

  /** Opens or creates it. */
  MetricsFile(Path path) throws IOException {
    this.path = path;
    open();
  }

  private void open() throws IOException {
    channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    wholeBytes = channel.size();
  }

  Path path() {
    return path;
  }

  void writeLine(String line) throws IOException {
    if (!Files.exists(path)) {
      channel.close();
      open();
    }
    ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
    int length = bytes.remaining();
    channel.truncate(wholeBytes);
    channel.position(wholeBytes);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    wholeBytes += length;
  }

  @Override
  public void close() throws IOException {
    if (!channel.isOpen()) {
      return;
    }
    try (var last = channel) {
      last.truncate(wholeBytes);
    }
  }
}
