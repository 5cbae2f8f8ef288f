package io.hirundo.data;

import java.nio.file.Path;
import java.util.OptionalInt;
import org.osgi.annotation.versioning.ConsumerType;

/** Encodes text to token ids and back. Strategy kind {@code tokenizer}. Thread-safe: many threads call {@code encode}. */
@ConsumerType
public interface Tokenizer extends AutoCloseable {
  /** Exclusive upper bound of the token ids. */
  int vocabularySize();

  /**
   * Token ids of the text, without begin and end tokens, never truncated. The same text always has the same ids.
   *
   * @throws io.hirundo.DataException if the tokenizer has no token for a part of the text
   */
  int[] encode(String text);

  /** The text of the ids: the inverse of {@link #encode}, unless the tokenizer normalizes texts. Bytes that are no character become U+FFFD. */
  String decode(int[] ids);

  /** The begin-of-text token id, if the tokenizer has one. */
  OptionalInt beginOfText();

  /** The end-of-document token id, if the tokenizer has one. */
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
