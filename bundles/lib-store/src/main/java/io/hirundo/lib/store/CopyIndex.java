package io.hirundo.lib.store;

import io.hirundo.CheckpointException;
import io.hirundo.lib.input.Excerpt;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * Index of a checkpoint copy in a {@link io.hirundo.checkpoint.CheckpointStore}. Its text has one line per file and ends with its own
 * checksum:
 *
 * <pre>
 * hirundo checkpoint copy 1
 * step 100
 * part 67108864
 * file 100000000 9a3b00ff,0012aa34 rank-00000.data
 * crc32c 01234567
 * </pre>
 *
 * @param step completed steps
 * @param partBytes bytes of each part of a file but the last; {@link #WHOLE_FILES} if files are not split
 * @param files sorted by name
 */
public record CopyIndex(long step, long partBytes, List<CopiedFile> files) {
    /** Part size of an index whose files have one part each. */
    public static final long WHOLE_FILES = Long.MAX_VALUE;

    /** Bound for reading an index into memory. An index of 1 TB in parts of 64 MiB takes about 150 KB. */
    public static final int MAX_TEXT_BYTES = 64 << 20;

    private static final Pattern FILE = Pattern.compile("file (\\d{1,18}) ([0-9a-f]{8}(?:,[0-9a-f]{8})*+) (.+)");

    private static final String HEADER = "hirundo checkpoint copy 1\n";

    /**
     * A file of a copy.
     *
     * @param name relative to the checkpoint folder, with {@code /}
     * @param crc32c CRC32C of each part; at least one part, which may be empty
     */
    public record CopiedFile(String name, long bytes, List<Integer> crc32c) {
        public CopiedFile {
            crc32c = List.copyOf(crc32c);
        }
    }

    public CopyIndex {
        files = List.copyOf(files);
    }

    /** Total bytes of all files. */
    public long bytes() {
        return files.stream().mapToLong(CopiedFile::bytes).sum();
    }

    /** Number of parts of a file of this size. */
    public static int parts(long bytes, long partBytes) {
        return (int) Math.clamp(Math.ceilDiv(bytes, partBytes), 1, Integer.MAX_VALUE);
    }

    /** Bytes of a part of a file. */
    public long bytesOf(CopiedFile file, int part) {
        return Math.min(partBytes, file.bytes() - part * partBytes);
    }

    /** Equal for equal names, contents and part sizes. */
    public String id() {
        return "%08x".formatted(crc(body()));
    }

    /** The text to store. */
    public String text() {
        return body() + "crc32c " + id() + "\n";
    }

    private String body() {
        var text = new StringBuilder(HEADER)
                .append("step ")
                .append(step)
                .append("\npart ")
                .append(partBytes)
                .append('\n');
        for (CopiedFile file : files) {
            String sums = file.crc32c().stream().map("%08x"::formatted).collect(Collectors.joining(","));
            text.append("file ")
                    .append(file.bytes())
                    .append(' ')
                    .append(sums)
                    .append(' ')
                    .append(file.name())
                    .append('\n');
        }
        return text.toString();
    }

    private static int crc(String text) {
        var crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    /** Rejects names outside the folder that a copy is fetched into, because the index may be forged. */
    private static void requireWithin(String name, String place) {
        try {
            Path path = Path.of(name);
            if (!name.isEmpty()
                    && !path.isAbsolute()
                    && !path.startsWith("..")
                    && path.normalize().equals(path)) {
                return;
            }
        } catch (InvalidPathException e) {
            throw new CheckpointException(
                    place + " names '" + Excerpt.of(name) + "', which is not a valid file name", e);
        }
        throw new CheckpointException(place + " names '" + Excerpt.of(name) + "', which is not a file of a checkpoint");
    }

    /** Each part needs a checksum, which the fetch verifies. */
    private void requireParts(String place) {
        boolean fit = partBytes > 0
                && files.stream()
                        .allMatch(file -> file.bytes() >= 0 && file.crc32c().size() == parts(file.bytes(), partBytes));
        if (!fit) {
            throw new CheckpointException(place + " names files whose parts do not add up to their sizes");
        }
    }

    /**
     * Reads {@link #text}.
     *
     * @param place location of the index, for messages
     * @throws CheckpointException if the text is incomplete or contradictory, or names files outside the folder
     */
    public static CopyIndex parse(String text, String place) {
        int end = Math.max(0, text.lastIndexOf("crc32c "));
        String body = text.substring(0, end);
        if (!body.startsWith(HEADER) || !text.substring(end).equals("crc32c %08x\n".formatted(crc(body)))) {
            throw new CheckpointException(place + " is damaged or not the index of a copy");
        }
        List<String> lines = body.lines().skip(1).toList();
        if (lines.size() < 2) {
            throw new CheckpointException(place + " ends before the line 'part'");
        }
        long step = number(lines.get(0), "step ", 0, place);
        long partBytes = number(lines.get(1), "part ", 1, place);
        var files = new ArrayList<CopiedFile>();
        var names = new HashSet<String>();
        for (String line : lines.subList(2, lines.size())) {
            Matcher words = FILE.matcher(line);
            if (!words.matches()) {
                throw new CheckpointException(
                        place + " has a line '" + Excerpt.of(line) + "' (allowed: file BYTES CHECKSUMS NAME)");
            }
            String name = words.group(3);
            requireWithin(name, place);
            if (!names.add(name)) {
                throw new CheckpointException(place + " names '" + Excerpt.of(name) + "' twice");
            }
            var sums = Arrays.stream(words.group(2).split(","))
                    .map(sum -> Integer.parseUnsignedInt(sum, 16))
                    .toList();
            files.add(new CopiedFile(name, Long.parseLong(words.group(1)), sums));
        }
        var index = new CopyIndex(step, partBytes, files);
        index.requireParts(place);
        return index;
    }

    private static long number(String line, String word, long least, String place) {
        try {
            long number = line.startsWith(word) ? Long.parseLong(line.substring(word.length())) : -1;
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new CheckpointException(wrongNumber(line, word, least, place), e);
        }
        throw new CheckpointException(wrongNumber(line, word, least, place));
    }

    private static String wrongNumber(String line, String word, long least, String place) {
        return place + " has a line '" + Excerpt.of(line) + "' (allowed: " + word + "and a whole number of at least "
                + least + ")";
    }
}
