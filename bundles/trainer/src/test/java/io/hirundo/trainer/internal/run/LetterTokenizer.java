package io.hirundo.trainer.internal.run;

import io.hirundo.data.Tokenizer;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A token for each printable ASCII character but {@code ~}: 94 of them, and perhaps one that begins a text. */
final class LetterTokenizer implements Tokenizer {
  private final OptionalInt begin;

  LetterTokenizer(OptionalInt begin) {
    this.begin = begin;
  }

  @Override
  public int vocabularySize() {
    return 96;
  }

  @Override
  public int[] encode(String text) {
    return text.chars().map(letter -> letter - ' ').toArray();
  }

  @Override
  public String decode(int[] ids) {
    return IntStream.of(ids).mapToObj(id -> Character.toString(' ' + id)).collect(Collectors.joining());
  }

  @Override
  public OptionalInt beginOfText() {
    return begin;
  }

  @Override
  public OptionalInt endOfText() {
    return OptionalInt.empty();
  }

  @Override
  public void save(Path directory) {}

  @Override
  public void close() {}
}
