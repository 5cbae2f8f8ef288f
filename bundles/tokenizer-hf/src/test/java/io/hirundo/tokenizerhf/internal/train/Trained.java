package io.hirundo.tokenizerhf.internal.train;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small tokenizers for tests. */
public final class Trained {
    private Trained() {}

    static Vocabulary vocabulary(String text, int ordinaryTokens, int threads) {
        try (var counter = new WordCounter(threads)) {
            counter.add(text);
            return new PairMerger(counter.counts()).merge(ordinaryTokens, count -> {}, () -> false);
        }
    }

    /** Writes the files of a tokenizer with two special tokens. */
    public static Path tokenizer(Path folder, String text, int vocabularySize) throws IOException {
        var json = new TokenizerJson(vocabulary(text, vocabularySize - 2, 1));
        Files.createDirectories(folder);
        Files.write(folder.resolve("tokenizer_config.json"), json.configuration());
        Files.write(folder.resolve("tokenizer.json"), json.tokenizer());
        return folder;
    }
}
