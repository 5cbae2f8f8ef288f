package io.hirundo.trainer.internal.generate;

import io.hirundo.DataException;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.data.Tokenizer;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** All of a dataset or text as validation samples. */
public final class EvaluationData {
  /**
   * Samples of one length.
   *
   * @param samples for the caller to close
   * @param sequenceTokens predictions of each
   */
  public record Part(SampleSet samples, int sequenceTokens) {}

  /**
   * All of a source.
   *
   * @param bytes of its text in UTF-8; empty for a dataset, which does not tell
   */
  public record Source(List<Part> parts, OptionalLong bytes) {}

  private EvaluationData() {}

  /** Whether the path is the prefix of an indexed dataset. */
  public static boolean isDataset(Path data) {
    return Files.exists(Path.of(data + ".idx"));
  }

  /** Whole sequences in file order; a shorter rest is left out. */
  public static Source ofDataset(StrategyRegistry registry, Path prefix, int sequenceTokens) {
    var choice = new Choice("sequential", Map.of("prefix", prefix.toString()));
    SampleSet samples =
        registry.create(DataSource.class, choice, "--data").open(new SampleRequest(0, sequenceTokens, 0, 0));
    if (samples.count(Split.VALIDATION) == 0) {
      String found = samples.describe();
      samples.close();
      throw new DataException(
          "--data: one sequence takes " + (sequenceTokens + 1) + " tokens, the last one as a label, but there are only " + found
              + "; lower --sequence");
    }
    return new Source(List.of(new Part(samples, sequenceTokens)), OptionalLong.empty());
  }

  /** Sequences one after the other; what is left at the end is a shorter one. */
  public static Source ofText(TextReader texts, Supplier<Tokenizer> tokenizers, Path source, int sequenceTokens) {
    int[] tokens;
    var bytes = new AtomicLong();
    try (var tokenizer = tokenizers.get();
        var documents = texts.read(source, TextSelection.ALL)) {
      tokens = documents.peek(document -> bytes.addAndGet(bytes(document))).flatMapToInt(document -> framed(tokenizer, document.text())).toArray();
    }
    if (tokens.length < 2) {
      throw new DataException("--data: " + source + " is shorter than two tokens: nothing can be predicted");
    }
    int predictions = tokens.length - 1;
    int whole = predictions / sequenceTokens;
    int rest = predictions % sequenceTokens;
    var parts = new ArrayList<Part>();
    if (whole > 0) {
      parts.add(new Part(new TokenWindows(tokens, 0, sequenceTokens, whole), sequenceTokens));
    }
    if (rest > 0) {
      parts.add(new Part(new TokenWindows(tokens, whole * sequenceTokens, rest, 1), rest));
    }
    return new Source(parts, OptionalLong.of(bytes.get()));
  }

  private static long bytes(TextDocument document) {
    return document.text().getBytes(StandardCharsets.UTF_8).length;
  }

  /** As datasets are written: where one id both begins and ends a text, it is there once, at the end. */
  private static IntStream framed(Tokenizer tokenizer, String text) {
    OptionalInt end = tokenizer.endOfText();
    OptionalInt begin = tokenizer.beginOfText().equals(end) ? OptionalInt.empty() : tokenizer.beginOfText();
    return IntStream.concat(IntStream.concat(begin.stream(), IntStream.of(tokenizer.encode(text))), end.stream());
  }

  /** Neighbouring windows share one token: the last label of one is the first input of the next. */
  private record TokenWindows(int[] tokens, int first, int windowTokens, long windows) implements SampleSet {
    @Override
    public long count(Split split) {
      return split == Split.VALIDATION ? windows : 0;
    }

    @Override
    public void read(Split split, long index, int[] into) {
      System.arraycopy(tokens, first + (int) index * windowTokens, into, 0, into.length);
    }

    @Override
    public int vocabularyBound() {
      return 0;
    }

    @Override
    public String describe() {
      return tokens.length + " tokens";
    }

    @Override
    public void close() {}
  }
}
