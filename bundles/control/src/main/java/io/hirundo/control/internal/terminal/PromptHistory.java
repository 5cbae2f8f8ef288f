package io.hirundo.control.internal.terminal;

import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.output.OutputChannels;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines that were typed at the prompts of a run: {@code prompt-history} in its directory, readable by its owner alone. When it
 * is full, the older half is dropped. If it cannot be read or written, the history lasts as long as the prompt, and one line in the
 * log says so.
 */
final class PromptHistory {
  static final String FILE = "prompt-history";
  static final int MAX_BYTES = 1 << 20;

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

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

  /** Several prompts may append to it at the same time; what one appends while another drops the oldest lines may be lost. */
  void add(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    if (!kept || bytes.length > MAX_BYTES / 2) {
      return;
    }
    try {
      try (FileChannel channel = OutputChannels.append(file, OWNER_ONLY)) {
        restrict();
        if (channel.size() + bytes.length <= MAX_BYTES) {
          for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
            channel.write(rest);
          }
          return;
        }
      }
      replaceByNewerHalf(bytes);
    } catch (IOException failure) {
      forget(failure);
    }
  }

  /** A file that somebody else created, or an earlier version of Hirundo, may have been readable by others. */
  private void restrict() throws IOException {
    var view = Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    if (!view.readAttributes().permissions().equals(OWNER_ONLY.value())) {
      view.setPermissions(OWNER_ONLY.value());
    }
  }

  private void replaceByNewerHalf(byte[] last) throws IOException {
    byte[] all = InputFiles.readAllBytes(file, MAX_BYTES);
    int start = all.length / 2;
    while (start < all.length && all[start - 1] != '\n') {
      start++;
    }
    int newer = start;
    AtomicFile.write(
        file,
        out -> {
          out.write(all, newer, all.length - newer);
          out.write(last);
        },
        OWNER_ONLY);
  }

  private void forget(IOException failure) {
    kept = false;
    LOG.warn("the prompt's history is not kept: {}", OutputFiles.explain(file, failure));
  }
}
