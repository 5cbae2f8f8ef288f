package io.hirundo.data;

import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.osgi.annotation.versioning.ConsumerType;

/** Encodes text to token ids and back. Strategy kind {@code tokenizer}. Thread-safe: many threads call {@code encode}. */
@ConsumerType
public interface Tokenizer extends AutoCloseable {
    /** Exclusive upper bound of the token ids. */
    int vocabularySize();

    /**
     * Token ids of the text, without begin and end tokens, never truncated. The same text always has the same ids. The name of a special
     * token in the text is text like any other, unless the user has chosen otherwise.
     *
     * @throws io.hirundo.DataException if the tokenizer has no token for a part of the text
     */
    int[] encode(String text);

    /** The special tokens by name; empty if there are none, or if the tokenizer does not name them. */
    default SpecialTokens specialTokens() {
        return SpecialTokens.NONE;
    }

    /**
     * Like {@link #encode}, but a name of a {@linkplain #specialTokens() special token} in the text becomes that token. For texts whose
     * author may write control tokens, such as prompts. The default encodes what is between the names.
     *
     * @throws io.hirundo.DataException if the tokenizer has no token for a part of the text
     */
    default int[] encodeWithSpecialTokens(String text) {
        var ids = IntStream.builder();
        int begin = 0;
        for (SpecialTokens.Match match : specialTokens().in(text)) {
            IntStream.of(encode(text.substring(begin, match.begin()))).forEach(ids);
            ids.add(match.id());
            begin = match.end();
        }
        IntStream.of(encode(text.substring(begin))).forEach(ids);
        return ids.build().toArray();
    }

    /** The text of the ids: the inverse of {@link #encode}, unless the tokenizer normalizes texts. Bytes that are no character become U+FFFD. */
    String decode(int[] ids);

    /** The id of the token that begins a document and a prompt; empty if none does. */
    OptionalInt beginOfText();

    /** The id of the token that ends a document; empty if none does. */
    OptionalInt endOfText();

    /**
     * Writes the tokenizer files into a model folder, under their published names. Creates the folder if it is missing.
     *
     * @throws io.hirundo.StorageException if they cannot be written
     */
    void save(Path directory);

    /** Releases what only this tokenizer uses. A second call has no effect. */
    @Override
    void close();
}
