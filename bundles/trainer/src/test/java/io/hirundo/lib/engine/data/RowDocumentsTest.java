package io.hirundo.lib.engine.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleSet;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.inference.evaluation.Evaluator;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TinyRun;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RowDocumentsTest {
    private static final int END = 9;

    /** Inputs 4 5 9 | 9 | 6 7 9, and the last label starts another document. */
    private static final int[] ROW = {4, 5, END, END, 6, 7, END, 8};

    @Test
    void matchesAHandComputedExample() {
        assertEach(new int[] {0, 0, 0, 3, 4, 4, 4}, of(true, true, true)::start);
        assertEach(new int[] {0, 1, 2, 0, 0, 1, 2}, of(true, true, true)::position);
        assertEach(new int[] {1, 1, 0, 0, 1, 1, 0}, of(true, true, true)::weight);
        assertEquals(4, RowDocuments.counted(ROW, new DocumentRules(END, true, true, true)));
    }

    @Test
    void ignoresRulesThatAreOff() {
        assertEach(new int[] {0, 1, 2, 3, 4, 5, 6}, of(true, false, true)::position);
        assertEach(new int[] {1, 1, 1, 1, 1, 1, 1}, of(true, true, false)::weight);
        assertEquals(7, RowDocuments.counted(ROW, DocumentRules.NONE));
    }

    /** Two documents in one sample have the same loss as in two samples. */
    @Test
    void trainsPackedDocumentsLikeSeparateOnes() {
        int[] first = {3, 1, 4, 1, 5, 12, 2, END};
        int[] second = {6, 5, 3, 5, 8, 10, 7, END, 3};
        int[] both = IntStream.concat(IntStream.of(first), IntStream.of(second)).toArray();
        try (TinyRun run =
                new TinyRun(new CpuOptions(), new Fp32Factory().create(new NoOptions()), 1, Recompute.NONE)) {
            new ModelWeights(run.model).initialize(1);
            var alone = evaluate(
                    run,
                    List.of(
                            IntStream.concat(IntStream.of(first), IntStream.of(6))
                                    .toArray(),
                            second));
            var together = evaluate(run, List.of(both));
            assertEquals(14, alone.tokens());
            assertEquals(14, together.tokens());
            assertEquals(alone.loss(), together.loss(), 1e-6);
        }
    }

    private static Evaluator.Result evaluate(TinyRun run, List<int[]> rows) {
        return new Evaluator(run.model, new Rows(rows), rows.getFirst().length - 1, rows.size(), 1).evaluate();
    }

    private static RowDocuments of(boolean separateAttention, boolean resetPositions, boolean maskEnd) {
        return new RowDocuments(ROW, new DocumentRules(END, separateAttention, resetPositions, maskEnd));
    }

    private static void assertEach(int[] expected, IntUnaryOperator found) {
        assertArrayEquals(
                expected, IntStream.range(0, expected.length).map(found).toArray());
    }

    private record Rows(List<int[]> rows) implements SampleSet {
        @Override
        public long count(Split split) {
            return rows.size();
        }

        @Override
        public void read(Split split, long index, int[] into) {
            System.arraycopy(rows.get((int) index), 0, into, 0, into.length);
        }

        @Override
        public DocumentRules documents() {
            return new DocumentRules(END, true, true, true);
        }

        @Override
        public int vocabularyBound() {
            return 0;
        }

        @Override
        public String describe() {
            return "rows";
        }

        @Override
        public void close() {}
    }
}
