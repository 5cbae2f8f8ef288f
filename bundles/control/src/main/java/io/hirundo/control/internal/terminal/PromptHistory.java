package io.hirundo.control.internal.terminal;

import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines that were typed at the prompts of a run: {@code prompt-history} in its directory, readable by its owner alone. Where
 * it cannot be read or written, the history lasts as long as the prompt, and one line in the log says so.
 */
final class PromptHistory {
  static final String FILE = "prompt-history";
  static final int MAX_BYTES = 1 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(PromptHistory.class);

  private final Path file;
  private boolean kept = true;

  PromptHistory(Path directory) {
    this.file = directory.resolve(FILE);
  }

  /** Oldest first. */
  List<String> lines() {
    try {
      return InputFiles.readString(file, MAX_BYTES).lines().filter(line -> !line.isBlank()).toList();
    } catch (NoSuchFileException first) {
      return List.of();
    } catch (IOException failure) {
      forget(failure);
      return List.of();
    }
  }

  /** Several prompts may append to it at a time. */
  void add(String line) {
    if (!kept) {
      return;
    }
    try {
      OutputFiles.requireFile(file);
      var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
      try (var channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), owner)) {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + "\n");
        while (bytes.hasRemaining() && channel.size() + bytes.remaining() <= MAX_BYTES) {
          channel.write(bytes);
        }
      }
    } catch (IOException failure) {
      forget(failure);
    }
  }

  private void forget(IOException failure) {
    kept = false;
    LOG.warn("the prompt's history is not kept: {}", OutputFiles.explain(file, failure));
  }
}
