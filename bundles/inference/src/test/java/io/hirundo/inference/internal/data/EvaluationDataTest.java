package io.hirundo.inference.internal.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DataException;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.testkit.data.LetterTokenizer;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EvaluationDataTest {
    private static final OptionalInt NONE = OptionalInt.empty();

    @Test
    void addsBeginAndEndTokensToEachText() {
        assertArrayEquals(
                new int[] {1, 'a', 'b', 2, 1, 'c', 2}, tokens(OptionalInt.of(1), OptionalInt.of(2), "ab", "c"));
        assertArrayEquals(new int[] {'a', 'b', 'c'}, tokens(NONE, NONE, "ab", "c"));
        assertArrayEquals(new int[] {1, 'a', 'b', 1, 'c'}, tokens(OptionalInt.of(1), NONE, "ab", "c"));
    }

    @Test
    void addsSharedBeginAndEndIdOnce() {
        assertArrayEquals(new int[] {'a', 'b', 1, 'c', 1}, tokens(OptionalInt.of(1), OptionalInt.of(1), "ab", "c"));
    }

    @Test
    void keepsRemainderAsShorterSequence() {
        List<EvaluationData.Part> parts = source(3, NONE, NONE, "abcdefgh").parts();

        assertEquals(
                List.of(3, 1),
                parts.stream().map(EvaluationData.Part::sequenceTokens).toList());
        assertArrayEquals(new int[] {'d', 'e', 'f', 'g'}, read(parts.getFirst(), 1));
        assertArrayEquals(new int[] {'g', 'h'}, read(parts.getLast(), 0));
    }

    @Test
    void countsBytesOfTheTextInUtf8() {
        assertEquals(OptionalLong.of(5), source(3, NONE, NONE, "ab", "\u20ac").bytes());
    }

    @Test
    void rejectsTextOfOneToken() {
        assertThrows(DataException.class, () -> source(3, NONE, NONE, "a"));
    }

    /** The tokens of all texts, as one sequence. */
    private static int[] tokens(OptionalInt begin, OptionalInt end, String... texts) {
        return read(source(100, begin, end, texts).parts().getLast(), 0);
    }

    private static int[] read(EvaluationData.Part part, long index) {
        int[] sample = new int[part.sequenceTokens() + 1];
        part.samples().read(Split.VALIDATION, index, sample);
        return sample;
    }

    private static EvaluationData.Source source(
            int sequenceTokens, OptionalInt begin, OptionalInt end, String... texts) {
        return EvaluationData.ofText(
                new Texts(List.of(texts)),
                () -> new LetterTokenizer('\0', 128, begin, end),
                Path.of("texts"),
                sequenceTokens);
    }

    private record Texts(List<String> texts) implements TextReader {
        @Override
        public Stream<TextDocument> read(Path source, TextSelection selection) {
            return texts.stream().map(text -> new TextDocument(source.toString(), text));
        }
    }
}
