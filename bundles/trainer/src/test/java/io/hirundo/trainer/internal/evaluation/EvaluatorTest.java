package io.hirundo.trainer.internal.evaluation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.SampleSet;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.inference.evaluation.Evaluator;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TinyRun;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EvaluatorTest {
    private static final int SAMPLES = 5;
    private static final int TOKENS = 8;

    private final AtomicInteger read = new AtomicInteger();

    @Test
    void computesSameLossForAnyMicroBatch() {
        try (TinyRun run = open()) {
            var one = evaluator(run, 1).evaluate();
            var two = evaluator(run, 2).evaluate();
            assertEquals(SAMPLES * TOKENS, one.tokens());
            assertEquals(one.tokens(), two.tokens());
            assertEquals(one.loss(), two.loss(), 1e-5);
        }
    }

    @Test
    void returnsNoLossWhenStoppedEarly() {
        try (TinyRun run = open()) {
            assertTrue(evaluator(run, 2).evaluate(() -> read.get() >= 2).isEmpty());
            assertEquals(2, read.get(), "ends before the next batch");
        }
    }

    @Test
    void returnsLossWhenStoppedAfterLastBatch() {
        try (TinyRun run = open()) {
            assertTrue(evaluator(run, 2).evaluate(() -> read.get() >= SAMPLES).isPresent());
        }
    }

    private static TinyRun open() {
        var run = new TinyRun(new CpuOptions(), new Fp32Factory().create(new NoOptions()), 1, Recompute.NONE);
        new ModelWeights(run.model).initialize(1);
        return run;
    }

    private Evaluator evaluator(TinyRun run, int microBatch) {
        return new Evaluator(run.model, new Counted(), TOKENS, SAMPLES, microBatch);
    }

    private final class Counted implements SampleSet {
        @Override
        public long count(Split split) {
            return 100;
        }

        @Override
        public void read(Split split, long index, int[] into) {
            read.incrementAndGet();
            Arrays.setAll(into, i -> (int) index + i);
        }

        @Override
        public int vocabularyBound() {
            return 0;
        }

        @Override
        public String describe() {
            return "counted";
        }

        @Override
        public void close() {}
    }
}
