package io.hirundo.testkit.data;

import io.hirundo.data.Tokenizer;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A tokenizer for tests with a token for each character. It has no files, so there is nothing to save.
 *
 * @param first the character of token 0
 */
public record LetterTokenizer(char first, int vocabularySize, OptionalInt beginOfText, OptionalInt endOfText)
        implements Tokenizer {
    /** Without tokens that begin or end a text. */
    public LetterTokenizer(char first, int vocabularySize) {
        this(first, vocabularySize, OptionalInt.empty(), OptionalInt.empty());
    }

    @Override
    public int[] encode(String text) {
        return text.chars().map(letter -> letter - first).toArray();
    }

    @Override
    public String decode(int[] ids) {
        return IntStream.of(ids).mapToObj(id -> Character.toString(first + id)).collect(Collectors.joining());
    }

    @Override
    public void save(Path directory) {}

    @Override
    public void close() {}
}
