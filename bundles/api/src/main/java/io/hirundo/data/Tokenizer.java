package io.hirundo.data;

import java.nio.file.Path;
import java.util.OptionalInt;
import org.osgi.annotation.versioning.ConsumerType;

/** Text to token ids and back. Strategy kind {@code tokenizer}. Thread-safe: {@code encode} is called from many threads. */
@ConsumerType
public interface Tokenizer extends AutoCloseable {
  /** All ids are below this. */
  int vocabularySize();

  /** Ids of the text, without any that mark its beginning or end; never cut. */
  int[] encode(String text);

  String decode(int[] ids);

  /** The id that begins a text, where the tokenizer has one. */
  OptionalInt beginOfText();

  /** The id that ends a document, where the tokenizer has one. */
  OptionalInt endOfText();

  /**
   * Writes the tokenizer's files into a model's folder, under the names they are published with.
   *
   * @throws io.hirundo.StorageException when they cannot be written
   */
  void save(Path directory);

  @Override
  void close();
}
