package io.hirundo.trainer.internal.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DocumentRules;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.step.StepInstrument;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TinyRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepInstrumentsTest {
    private final TinyRun run =
            new TinyRun(new CpuOptions(), new Fp32Factory().create(new NoOptions()), 1, Recompute.NONE);

    private final List<String> calls = new ArrayList<>();

    @AfterEach
    void close() {
        run.close();
    }

    /** Records its calls; throws in one of them. */
    private final class Recording implements StepInstrument {
        private final String name;
        private final String throwsIn;

        Recording(String name, String throwsIn) {
            this.name = name;
            this.throwsIn = throwsIn;
        }

        private void record(String call) {
            calls.add(name + " " + call);
            if (call.equals(throwsIn)) {
                throw new IllegalStateException(name + " " + call);
            }
        }

        @Override
        public void begin(long step) {
            record("begin");
        }

        @Override
        public void gradientsFinished() {
            record("gradients");
        }

        @Override
        public void weightsUpdated() {
            record("weights");
        }

        @Override
        public void end() {
            record("end");
        }

        @Override
        public void abandon() {
            record("abandon");
        }
    }

    private void step(String firstThrowsIn, String secondThrowsIn) {
        var batch = new HostBatch(
                Collections.nCopies(TinyRun.SEQUENCES, new int[TinyRun.SEQUENCE_TOKENS + 1]), DocumentRules.NONE);
        run.steps.step(
                batch,
                1,
                1e-3,
                StepSignals.SILENT,
                List.of(new Recording("a", firstThrowsIn), new Recording("b", secondThrowsIn)));
    }

    @Test
    void endInReverseOrder() {
        step("", "");
        assertEquals(List.of("a begin", "b begin"), calls.subList(0, 2));
        assertTrue(calls.containsAll(List.of("a gradients", "b gradients", "a weights", "b weights")), calls::toString);
        assertEquals(List.of("b end", "a end"), calls.subList(6, calls.size()));
    }

    @Test
    void abandonsWhatHasBegunWhereOneCannotBegin() {
        var failure = assertThrows(IllegalStateException.class, () -> step("", "begin"));
        assertEquals("b begin", failure.getMessage());
        assertEquals(List.of("a begin", "b begin", "b abandon", "a abandon"), calls);
    }

    @Test
    void abandonsWhatHasNotEnded() {
        var failure = assertThrows(IllegalStateException.class, () -> step("", "end"));
        assertEquals("b end", failure.getMessage());
        assertEquals(List.of("b end", "b abandon", "a abandon"), calls.subList(6, calls.size()));
    }

    @Test
    void failureOfTheStepComesFirst() {
        var failure = assertThrows(IllegalStateException.class, () -> step("abandon", "gradients"));
        assertEquals("b gradients", failure.getMessage());
        assertSame(IllegalStateException.class, failure.getSuppressed()[0].getClass());
        assertTrue(calls.contains("b abandon"), calls::toString);
    }
}
