package io.hirundo.tokenizerhf.internal.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.data.TextFormat;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.tokenizerhf.internal.files.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Records what a tokenizer was trained on, in a file next to it, to detect changes later.
 *
 * @param schemaVersion 1
 * @param source the text, an absolute path
 * @param sourceState hash of its files' names, sizes and times
 * @param format {@code jsonl} or {@code text}; null if each file decided
 * @param textField of JSON lines; null for the default
 * @param vocabularySize requested size
 * @param maximumBytes of the sample
 * @param seed of the sample
 */
record Provenance(
        int schemaVersion,
        String source,
        String sourceState,
        String format,
        String textField,
        int vocabularySize,
        long maximumBytes,
        long seed) {
    private static final String FILE = "hirundo-tokenizer.json";
    private static final int MOST_BYTES = 1 << 16;

    /** Checks file attributes, does not read contents. */
    static Provenance of(Path source, TextFormat format, int vocabularySize, long maximumBytes, long seed) {
        try {
            Path path = source.toRealPath();
            String layout = format.layout() == TextFormat.Layout.AUTO ? null : format.layoutName();
            return new Provenance(
                    1, path.toString(), state(path), layout, format.textField(), vocabularySize, maximumBytes, seed);
        } catch (NoSuchFileException e) {
            throw new DataException("--data: there is no " + source + "; give a file or folder of text", e);
        } catch (IOException e) {
            throw new DataException(
                    "text " + source + ": cannot be read (" + Reason.of(e)
                            + "): give a file or folder of text that is there as --data",
                    e);
        }
    }

    private static String state(Path source) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(source)) {
            files = walk.filter(Files::isRegularFile).sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        var hash = sha256();
        for (Path file : files) {
            // Versions up to 0.27 read JSON lines of this name as plain text.
            String reading = file.toString().matches("(?is).*\\.json(\\.gz)?") ? "\nlines" : "";
            String line = source.relativize(file) + reading + "\n" + Files.size(file) + "\n"
                    + Files.getLastModifiedTime(file).toMillis() + "\n";
            hash.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Whether the command created the tokenizer in this folder. */
    static boolean isIn(Path folder) {
        return Files.exists(folder.resolve(FILE));
    }

    /** @throws io.hirundo.StorageException if it cannot be written into this folder */
    static void requireWritable(Path folder) {
        WholeFile.requireWritable(folder.resolve(FILE));
    }

    /** Whether the tokenizer in this folder was trained on exactly this. */
    boolean isOf(Path folder) {
        try {
            return new ObjectMapper()
                    .readValue(InputFiles.readAllBytes(folder.resolve(FILE), MOST_BYTES), Provenance.class)
                    .equals(this);
        } catch (IOException e) {
            // An unreadable record counts as different: train the tokenizer again.
            return false;
        }
    }

    /** Call before replacing the tokenizer: a new tokenizer must never have an old record. */
    static void forget(Path folder) {
        WholeFile.delete(folder.resolve(FILE));
    }

    void write(Path folder) {
        try {
            WholeFile.write(
                    folder.resolve(FILE),
                    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record could not be written", e);
        }
    }
}
