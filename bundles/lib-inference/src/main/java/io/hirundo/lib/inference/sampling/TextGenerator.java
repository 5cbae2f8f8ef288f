package io.hirundo.lib.inference.sampling;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.data.Tokenizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Autoregressive generation from a prompt. */
public final class TextGenerator {
    private final TokenLogits logits;
    private final Tokenizer tokenizer;
    private final Set<Integer> ends;

    /** {@code ends}: ids that end a text. */
    public TextGenerator(TokenLogits logits, Tokenizer tokenizer, Set<Integer> ends) {
        this.logits = logits;
        this.tokenizer = tokenizer;
        this.ends = Set.copyOf(ends);
    }

    /** All ids that end a text: those that the model's folder lists, and the end of the documents that it was trained on. */
    public static Set<Integer> ends(ModelNotes notes, Tokenizer tokenizer) {
        var ends = new HashSet<>(notes.endOfText());
        tokenizer.endOfText().ifPresent(ends::add);
        return ends;
    }

    /**
     * Generates until a token that ends a text, {@code maximumTokens} tokens or {@code stop}.
     *
     * @param seed seed of the sampling; the same seed gives the same text
     * @param onText receives the text in pieces; the first one is the prompt, after its tokens are checked against the vocabulary
     */
    public Speed generate(
            String prompt,
            int maximumTokens,
            Sampling sampling,
            long seed,
            Consumer<String> onText,
            BooleanSupplier stop) {
        List<Integer> tokens = new ArrayList<>();
        tokenizer.beginOfText().ifPresent(tokens::add);
        for (int id : tokenizer.encode(prompt)) {
            tokens.add(id);
        }
        if (tokens.isEmpty()) {
            throw new DataException(
                    "the prompt is empty, and this tokenizer has no begin-of-text token: give --prompt");
        }
        logits.requireKnown(toArray(tokens));
        onText.accept(prompt);
        var random = new SplittableRandom(seed);
        int promptTokens = tokens.size();
        logits.reserve((int) Math.min((long) promptTokens + maximumTokens, logits.maximumTokens()));
        var printable = new PrintableText();
        long began = System.nanoTime();
        long prefilled = began;
        for (int made = 0; made < maximumTokens && !stop.getAsBoolean(); made++) {
            float[] ofNext = logits.afterLast(window(tokens));
            if (made == 0) {
                prefilled = System.nanoTime();
            }
            int next = sampling.choose(ofNext, random);
            if (ends.contains(next)) {
                break;
            }
            tokens.add(next);
            onText.accept(printable.add(decode(tokens.subList(promptTokens, tokens.size()))));
        }
        onText.accept(printable.rest());
        return new Speed(promptTokens, prefilled - began, tokens.size() - promptTokens, System.nanoTime() - prefilled);
    }

    private int[] window(List<Integer> tokens) {
        int first = Math.max(0, tokens.size() - logits.maximumTokens());
        return toArray(tokens.subList(first, tokens.size()));
    }

    private String decode(List<Integer> tokens) {
        return tokenizer.decode(toArray(tokens));
    }

    private static int[] toArray(List<Integer> tokens) {
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }
}
