package io.hirundo.tokenizerhf.internal.files;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A tokenizer's files in memory: a run saves the files that it used with its model, even if they change on disk meanwhile.
 */
public final class TokenizerFiles {
    static final String TOKENIZER = "tokenizer.json";
    static final String CONFIG = "tokenizer_config.json";
    static final String SPECIAL_TOKENS = "special_tokens_map.json";

    static final String ADDED_TOKENS = "added_tokens.json";

    /** Files of a model that declare ids too, the first one before the second. They are not saved with the tokenizer. */
    static final List<String> OF_THE_MODEL = List.of("generation_config.json", "config.json");

    /** Files that are published along with {@link #TOKENIZER}. */
    private static final List<String> COMPANIONS =
            List.of(CONFIG, SPECIAL_TOKENS, ADDED_TOKENS, "chat_template.jinja", "tokenizer.model");

    /** The largest published ones have about 35 MB, with 262,000 tokens. */
    private static final int MOST_BYTES = 256 << 20;

    private static final int MOST_COMPANION_BYTES = 32 << 20;

    private final Path path;
    private final Map<String, byte[]> contents;
    private final Map<String, byte[]> ofTheModel;

    private TokenizerFiles(Path path, Map<String, byte[]> contents, Map<String, byte[]> ofTheModel) {
        this.path = path;
        this.contents = contents;
        this.ofTheModel = ofTheModel;
    }

    /**
     * Reads a {@code tokenizer.json}, directly or in a folder, and its companion files.
     *
     * @throws DataException if it does not exist or cannot be read
     */
    public static TokenizerFiles read(Path source) {
        Path path = Files.isDirectory(source) ? source.resolve(TOKENIZER) : source;
        if (!Files.exists(path)) {
            throw new DataException(missing(source, path));
        }
        Path folder = path.toAbsolutePath().getParent();
        var contents = new LinkedHashMap<String, byte[]>();
        Map<String, byte[]> ofTheModel;
        try {
            contents.put(TOKENIZER, InputFiles.readAllBytes(path, MOST_BYTES));
            contents.putAll(readExisting(folder, COMPANIONS, path));
            ofTheModel = readExisting(folder, OF_THE_MODEL, path);
        } catch (IrregularFileException | FileTooLargeException e) {
            throw new DataException(
                    "tokenizer " + source + ": " + Reason.of(e) + ": give a tokenizer.json, or a folder that has one",
                    e);
        } catch (IOException e) {
            throw new DataException(
                    "tokenizer " + source + ": cannot be read: " + Reason.of(e) + ": fix that or give another", e);
        }
        return new TokenizerFiles(path, contents, ofTheModel);
    }

    private static Map<String, byte[]> readExisting(Path folder, List<String> names, Path tokenizer)
            throws IOException {
        var contents = new LinkedHashMap<String, byte[]>();
        for (String name : names) {
            Path file = folder.resolve(name);
            // A broken link is an error, not a missing file: somebody meant it to exist.
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !file.equals(tokenizer.toAbsolutePath())) {
                contents.put(name, InputFiles.readAllBytes(file, MOST_COMPANION_BYTES));
            }
        }
        return contents;
    }

    private static String missing(Path source, Path path) {
        if (!Files.exists(source)) {
            return "tokenizer " + source
                    + ": there is no such file or folder: give a tokenizer.json, or a folder that has one";
        }
        Path ofRun = source.resolve("model");
        if (Files.exists(ofRun.resolve(TOKENIZER))) {
            return "tokenizer " + source + ": is a run directory; give the model in it: " + ofRun;
        }
        if (Files.exists(source.resolve("tokenizer.model"))) {
            return "tokenizer " + source + ": the folder has a tokenizer.model but no " + TOKENIZER
                    + ": make one with transformers, AutoTokenizer.from_pretrained(...).save_pretrained(...)";
        }
        return "tokenizer " + source + ": there is no file " + path
                + ": give a tokenizer.json, or a folder that has one";
    }

    /** The {@code tokenizer.json}. */
    public Path path() {
        return path;
    }

    /** Contents of the {@code tokenizer.json}. */
    public byte[] tokenizer() {
        return contents.get(TOKENIZER);
    }

    /** The contents of a companion file; null if it does not exist. */
    byte[] companion(String name) {
        return contents.get(name);
    }

    /** The contents of one of {@link #OF_THE_MODEL}; null if it does not exist. */
    byte[] ofTheModel(String name) {
        return ofTheModel.get(name);
    }

    /**
     * Writes the files.
     *
     * @param changed contents of files that are written in place of those that were read
     * @throws StorageException if a file cannot be written
     */
    public void save(Path directory, Map<String, byte[]> changed) {
        var saved = new LinkedHashMap<>(contents);
        saved.putAll(changed);
        saved.forEach((name, bytes) -> WholeFile.write(directory.resolve(name), bytes));
    }
}
