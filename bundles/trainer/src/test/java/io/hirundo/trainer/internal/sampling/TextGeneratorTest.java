package io.hirundo.trainer.internal.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.lib.inference.sampling.Sampling;
import io.hirundo.lib.inference.sampling.TextGenerator;
import io.hirundo.lib.inference.sampling.TokenLogits;
import io.hirundo.trainer.internal.fixture.ToyTokenizer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextGeneratorTest {
    /** Each token is followed by the next one. */
    private static final TokenLogits COUNTING = new TokenLogits() {
        @Override
        public int maximumTokens() {
            return 50;
        }

        @Override
        public long vocabulary() {
            return 20;
        }

        @Override
        public float[] afterLast(int[] tokens) {
            float[] logits = new float[20];
            logits[tokens[tokens.length - 1] + 1] = 1;
            return logits;
        }
    };

    private static String generate(Set<Integer> ends) {
        var text = new StringBuilder();
        var tokenizer = new ToyTokenizer(20) {
            @Override
            public int[] encode(String prompt) {
                return new int[] {Integer.parseInt(prompt)};
            }

            @Override
            public String decode(int[] ids) {
                return String.join(
                        "", Arrays.stream(ids).mapToObj(id -> " " + id).toList());
            }
        };
        new TextGenerator(COUNTING, tokenizer, ends).generate("3", 8, new Sampling(0, 1), 1, text::append, () -> false);
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({"7; 9, 3 4 5 6", "9; 7, 3 4 5 6", "9, 3 4 5 6 7 8", "3, 3 4 5 6 7 8 9 10 11"})
    void stopsAtEveryEnd(String ends, String text) {
        assertEquals(
                text,
                generate(Set.copyOf(
                        Arrays.stream(ends.split("; ")).map(Integer::valueOf).toList())));
    }

    @Test
    void endsAreThoseOfTheFolderAndTheEndOfDocuments() {
        var notes = new ModelNotes(OptionalInt.empty(), List.of(7, 9), Map.of(), Optional.empty(), Optional.empty());
        var tokenizer = new ToyTokenizer(20);
        assertEquals(Set.of(7, 9), TextGenerator.ends(notes, tokenizer));
        tokenizer.end = OptionalInt.of(5);
        assertEquals(Set.of(5, 7, 9), TextGenerator.ends(notes, tokenizer));
        assertEquals(Set.of(5), TextGenerator.ends(ModelNotes.NONE, tokenizer));
    }
}
