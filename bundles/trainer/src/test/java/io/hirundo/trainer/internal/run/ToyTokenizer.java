package io.hirundo.trainer.internal.run;

import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.data.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** A tokenizer that knows no text and is a file of its own; it can be missing, or go away. */
final class ToyTokenizer implements Tokenizer {
  static final String FILE = "toy.txt";

  boolean isMissing;
  boolean isGone;
  OptionalInt begin = OptionalInt.empty();
  OptionalInt end = OptionalInt.empty();

  /** Where it was written. */
  final List<Path> saved = new ArrayList<>();

  private final int vocabularySize;

  ToyTokenizer(int vocabularySize) {
    this.vocabularySize = vocabularySize;
  }

  @Override
  public int vocabularySize() {
    if (isMissing) {
      throw new DataException("there is no toy");
    }
    return vocabularySize;
  }

  @Override
  public int[] encode(String text) {
    throw new AssertionError("not asked for");
  }

  @Override
  public String decode(int[] ids) {
    throw new AssertionError("not asked for");
  }

  @Override
  public OptionalInt beginOfText() {
    return begin;
  }

  @Override
  public OptionalInt endOfText() {
    return end;
  }

  @Override
  public void save(Path directory) {
    if (isGone) {
      throw new StorageException("the toy has gone");
    }
    saved.add(directory);
    try {
      Files.writeString(directory.resolve(FILE), "toy");
    } catch (IOException e) {
      throw new StorageException("cannot write into " + directory, e);
    }
  }

  @Override
  public void close() {}
}
