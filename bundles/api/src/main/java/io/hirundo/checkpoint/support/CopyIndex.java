package io.hirundo.checkpoint.support;

import io.hirundo.CheckpointException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * What a copy of a checkpoint in a {@link io.hirundo.checkpoint.CheckpointStore} consists of. Its text has a line for each file, and ends
 * with its own checksum:
 *
 * <pre>
 * hirundo checkpoint copy 1
 * step 100
 * part 67108864
 * file 100000000 9a3b00ff,0012aa34 rank-00000.data
 * crc32c 01234567
 * </pre>
 *
 * @param step steps that were done
 * @param partBytes of each part of a file but the last; {@link #WHOLE_FILES} where files are not cut
 * @param files in the order of their names
 */
public record CopyIndex(long step, long partBytes, List<CopiedFile> files) {
  /** Of parts of which every file is one. */
  public static final long WHOLE_FILES = Long.MAX_VALUE;

  private static final String HEADER = "hirundo checkpoint copy 1\n";

  /**
   * A file of a copy.
   *
   * @param name below the checkpoint's folder, with {@code /}
   * @param crc32c of each part; one part at least, which may be empty
   */
  public record CopiedFile(String name, long bytes, List<Integer> crc32c) {
    public CopiedFile {
      crc32c = List.copyOf(crc32c);
    }
  }

  public CopyIndex {
    files = List.copyOf(files);
  }

  /** Of all files. */
  public long bytes() {
    return files.stream().mapToLong(CopiedFile::bytes).sum();
  }

  /** Of a file of so many bytes. */
  public static int parts(long bytes, long partBytes) {
    return (int) Math.max(1, Math.ceilDiv(bytes, partBytes));
  }

  /** Bytes of a part of a file. */
  public long bytesOf(CopiedFile file, int part) {
    return Math.min(partBytes, file.bytes() - part * partBytes);
  }

  /** Equal for equal names and contents, and parts of one size. */
  public String id() {
    return "%08x".formatted(crc(body()));
  }

  /** What is stored. */
  public String text() {
    return body() + "crc32c " + id() + "\n";
  }

  private String body() {
    var text = new StringBuilder(HEADER).append("step ").append(step).append("\npart ").append(partBytes).append('\n');
    for (CopiedFile file : files) {
      String sums = file.crc32c().stream().map("%08x"::formatted).collect(Collectors.joining(","));
      text.append("file ").append(file.bytes()).append(' ').append(sums).append(' ').append(file.name()).append('\n');
    }
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

  /** As many checksums as parts: whoever fetches a copy goes by them. */
  private void requireParts(String place) {
    boolean fit =
        partBytes > 0
            && files.stream().allMatch(file -> file.bytes() >= 0 && file.crc32c().size() == parts(file.bytes(), partBytes));
    if (!fit) {
      throw new CheckpointException(place + " names files whose parts do not make their lengths");
    }
  }

  /**
   * Reads {@link #text}.
   *
   * @param place where it lies, for messages
   * @throws CheckpointException where it is not whole, contradicts itself, or speaks of files outside of its folder
   */
  public static CopyIndex parse(String text, String place) {
    int end = Math.max(0, text.lastIndexOf("crc32c "));
    String body = text.substring(0, end);
    if (!body.startsWith(HEADER) || !text.substring(end).equals("crc32c %08x\n".formatted(crc(body)))) {
      throw new CheckpointException(place + " is damaged or not an index of a copy");
    }
    try {
      List<String> lines = body.lines().skip(1).toList();
      var files = new ArrayList<CopiedFile>();
      for (String line : lines.subList(2, lines.size())) {
        String[] words = line.split(" ", 4);
        requireWithin(words[3], place);
        var sums = Arrays.stream(words[2].split(",")).map(sum -> Integer.parseUnsignedInt(sum, 16)).toList();
        files.add(new CopiedFile(words[3], Long.parseLong(words[1]), sums));
      }
      var index = new CopyIndex(number(lines.get(0), "step "), number(lines.get(1), "part "), files);
      index.requireParts(place);
      return index;
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new CheckpointException(place + " is no index of a copy that is understood: " + e.getMessage(), e);
    }
  }

  private static long number(String line, String word) {
    return Long.parseLong(line.substring(word.length()));
  }
}
