package io.hirundo.inference.internal.data;

import io.hirundo.DataException;
import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentFrame;
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
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A dataset or text as validation samples. */
public final class EvaluationData {
    /**
     * Samples of one sequence length.
     *
     * @param samples the samples; the caller closes them
     * @param sequenceTokens predicted tokens of each sample
     */
    public record Part(SampleSet samples, int sequenceTokens) {}

    /**
     * The samples of one source.
     *
     * @param bytes UTF-8 bytes of the text; empty for a tokenized dataset
     */
    public record Source(List<Part> parts, OptionalLong bytes) {}

    private EvaluationData() {}

    /** Whether the path is the prefix of an indexed dataset. */
    public static boolean isDataset(Path data) {
        return Files.exists(Path.of(data + ".idx"));
    }

    /** Full sequences of a tokenized dataset in file order. An incomplete last sequence is dropped. */
    public static Source ofDataset(StrategyRegistry registry, Path prefix, int sequenceTokens) {
        var choice = new Choice("sequential", Map.of("prefix", prefix.toString()));
        SampleSet samples =
                registry.create(DataSource.class, choice, "--data").open(new SampleRequest(0, sequenceTokens, 0, 0));
        if (samples.count(Split.VALIDATION) == 0) {
            String found = samples.describe();
            samples.close();
            throw new DataException("--data: one sequence takes " + (sequenceTokens + 1)
                    + " tokens, the last one as a label, but there are only " + found + "; lower --sequence");
        }
        return new Source(List.of(new Part(samples, sequenceTokens)), OptionalLong.empty());
    }

    /** Consecutive sequences of a text. The last one may be shorter. */
    public static Source ofText(TextReader texts, Supplier<Tokenizer> tokenizers, Path source, int sequenceTokens) {
        int[] tokens;
        var bytes = new AtomicLong();
        try (var tokenizer = tokenizers.get();
                var documents = texts.read(source, TextSelection.ALL)) {
            tokens = documents
                    .peek(document -> bytes.addAndGet(bytes(document)))
                    .flatMapToInt(document -> framed(tokenizer, document.text()))
                    .toArray();
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

    /** With the begin and end tokens that tokenized datasets have. */
    private static IntStream framed(Tokenizer tokenizer, String text) {
        return IntStream.of(DocumentFrame.of(tokenizer).around(tokenizer.encode(text)));
    }

    /** Consecutive windows overlap by one token: the last label of a window is the first input of the next one. */
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
