package io.hirundo.dataloader.internal.command;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.command.ShellLine;
import io.hirundo.data.Tokenizer;
import io.hirundo.dataloader.internal.indexed.Sha256;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A tokenizer that was named on the command line.
 *
 * @param path a {@code tokenizer.json}, or the folder with one
 * @param more options of the strategy besides the path
 */
record TokenizerFile(Path path, Map<String, Object> more) {
    static final String STRATEGY = "huggingface";
    static final String FILE_OPTION = "file";
    /** As the tokenizer itself limits it. */
    private static final int MOST_BYTES = 256 << 20;

    private static final String USUAL_NAME = "tokenizer.json";

    Choice choice() {
        var options = new LinkedHashMap<String, Object>();
        options.put(FILE_OPTION, path.toAbsolutePath().normalize().toString());
        more.forEach(options::putIfAbsent);
        return new Choice(STRATEGY, options);
    }

    /** The caller closes it. */
    Tokenizer open(StrategyRegistry registry) {
        return registry.create(Tokenizer.class, choice(), "--tokenizer");
    }

    /**
     * What tells this tokenizer from others, wherever it lies.
     *
     * @throws DataException when there is none
     */
    String sha256() {
        Path file = Files.isDirectory(path) ? path.resolve(USUAL_NAME) : path;
        if (!Files.isRegularFile(file)) {
            throw new DataException("--tokenizer: there is no " + file + "; make one with "
                    + ShellLine.of("data", "train-tokenizer") + ", or give a model's folder");
        }
        try {
            return HexFormat.of().formatHex(Sha256.digest().digest(InputFiles.readAllBytes(file, MOST_BYTES)));
        } catch (FileTooLargeException e) {
            throw new DataException(
                    "--tokenizer: " + Reason.of(e) + "; give a tokenizer.json, or a folder that has one", e);
        } catch (IOException e) {
            throw new DataException("--tokenizer: cannot read " + file + ": " + Reason.of(e) + "; give another", e);
        }
    }
}
