package io.hirundo.storefolder.internal;

import io.hirundo.CheckpointException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What a copy consists of. Its text has a line for each file, and ends with its own checksum:
 *
 * <pre>
 * hirundo checkpoint copy 1
 * step 100
 * file 1048576 9a3b00ff rank-00000.data
 * crc32c 01234567
 * </pre>
 *
 * @param step steps that were done
 * @param files in the order of their names
 */
record CopyIndex(long step, List<CopiedFile> files) {
  private static final String HEADER = "hirundo checkpoint copy 1\n";

  /**
   * A file of a copy.
   *
   * @param name below the checkpoint's folder, with {@code /}
   * @param crc32c of its contents
   */
  record CopiedFile(String name, long bytes, int crc32c) {
    String line() {
      return "file %d %08x %s\n".formatted(bytes, crc32c, name);
    }
  }

  CopyIndex {
    files = List.copyOf(files);
  }

  long bytes() {
    return files.stream().mapToLong(CopiedFile::bytes).sum();
  }

  /** Equal for equal names and contents. */
  String id() {
    return "%08x".formatted(crc(body()));
  }

  String text() {
    return body() + "crc32c " + id() + "\n";
  }

  private String body() {
    var text = new StringBuilder(HEADER).append("step ").append(step).append('\n');
    files.forEach(file -> text.append(file.line()));
    return text.toString();
  }

  private static int crc(String text) {
    var crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return (int) crc.getValue();
  }

  /** Nothing is written outside the folder that a copy is fetched into, whoever has written the index. */
  private static void requireWithin(String name, String place) {
    Path path = Path.of(name);
    if (path.isAbsolute() || path.startsWith("..") || !path.normalize().equals(path)) {
      throw new CheckpointException(place + " names '" + name + "', which is no file of a checkpoint");
    }
  }

  /**
   * Reads {@link #text}.
   *
   * @param place where it lies, for messages
   */
  static CopyIndex parse(String text, String place) {
    try {
      int end = text.lastIndexOf("crc32c ");
      String body = text.substring(0, Math.max(end, 0));
      if (!body.startsWith(HEADER) || !text.substring(end).equals("crc32c %08x\n".formatted(crc(body)))) {
        throw new CheckpointException(place + " is damaged or not an index of a copy");
      }
      List<String> lines = body.lines().skip(1).toList();
      var files = new ArrayList<CopiedFile>();
      for (String line : lines.subList(1, lines.size())) {
        String[] words = line.split(" ", 4);
        requireWithin(words[3], place);
        files.add(new CopiedFile(words[3], Long.parseLong(words[1]), Integer.parseUnsignedInt(words[2], 16)));
      }
      return new CopyIndex(Long.parseLong(lines.getFirst().substring("step ".length())), files);
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new CheckpointException(place + " is no index of a copy that is understood: " + e.getMessage(), e);
    }
  }
}
