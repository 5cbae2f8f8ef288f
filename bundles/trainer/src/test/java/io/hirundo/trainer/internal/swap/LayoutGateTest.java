package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallelcp.internal.OverlapOptions;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.fixture.CountedGemms;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.gate.ParityGate;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.StrategyChange;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parity check of a change of schedule, tensor or context parallelism. */
class LayoutGateTest {
    private static final int MICROBATCHES = 2;

    @TempDir
    private Path folder;

    private final CountedGemms gemms = new CountedGemms();

    /** FLOPs of the GEMMs in a step and in the swap, and the verdict. */
    private record Measured(long step, long swap, ParityGate.Verdict verdict) {}

    private SteeredRun prepared(Map<String, Object> mesh) {
        var run = new SteeredRun(folder).with("mesh", mesh);
        run.with("precision", Map.of("name", "counted"))
                .catalog
                .add("precision", "counted", new Fixed<>(PrecisionStrategy.class, gemms));
        run.document.put(
                "training", Map.of("steps", 4, "sequenceTokens", 16, "globalBatch", MICROBATCHES, "microBatch", 1));
        return run;
    }

    private Measured measured(SteeredRun present, SteeredRun wanted) {
        try (var strategies = new RunStrategies(present.catalog, present.configuration());
                var run = LocalRun.open(strategies.configuration(), strategies.strategies());
                var next = strategies.next(wanted.configuration(), false);
                var change = new StrategyChange(run, next)) {
            gemms.take();
            run.step();
            long step = gemms.take();
            change.prepare();
            ParityGate.Verdict verdict = change.checkParity();
            return new Measured(step, gemms.take(), verdict);
        }
    }

    /** GEMMs, counted. The rest of a pause is the preparation, which computes none if the precision stays. */
    @ParameterizedTest
    @CsvSource({
        "pipeline, schedule, 1f1b, gpipe",
        "context, contextParallel, ring, all-gather",
        "tensor, tensorParallel, '{name: column-row, options: {overlap: true}}', '{name: column-row, options: {overlap: false}}'"
    })
    void computesLessThanTwoMicrobatches(String axis, String setting, String from, String to) {
        Measured measured = measured(
                prepared(Map.of(axis, 2, setting, value(from))), prepared(Map.of(axis, 2, setting, value(to))));
        assertTrue(measured.verdict().passed(), measured.verdict().text());
        double microbatches = (double) MICROBATCHES * measured.swap() / measured.step();
        assertTrue(microbatches > 1.6 && microbatches < 1.9, () -> microbatches + " microbatches");
    }

    private static Object value(String text) {
        return text.startsWith("{")
                ? Map.of("name", "column-row", "options", Map.of("overlap", text.contains("true")))
                : text;
    }

    /** Only gradients differ. */
    @Test
    void rejectsAWrongBackward() {
        var mesh = Map.<String, Object>of("context", 2);
        SteeredRun wanted = prepared(Map.of("context", 2, "contextParallel", "enlarged"));
        SteeredRun present = prepared(mesh);
        for (SteeredRun run : List.of(present, wanted)) {
            run.catalog.add("context-parallel", "enlarged", new Fixed<>(ContextParallel.class, new Enlarged()));
        }
        ParityGate.Verdict verdict = measured(present, wanted).verdict();
        assertFalse(verdict.passed(), verdict.text());
        assertTrue(verdict.text().startsWith("the gradient norm"), verdict.text());
    }

    /** Ring attention whose gradient of the values is 10 % too large. */
    private record Enlarged() implements ContextParallel {
        private static final ContextParallel RING = new RingFactory().create(new OverlapOptions());

        @Override
        public List<Integer> pieces(int rank, int ranks) {
            return RING.pieces(rank, ranks);
        }

        @Override
        public AttentionCore attention(ProcessGroup group, Heads heads, AttentionOptions options) {
            AttentionCore right = RING.attention(group, heads, options);
            return new AttentionCore() {
                @Override
                public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
                    right.forward(context, in, outputTHD, logSumExpBHS);
                }

                @Override
                public void backward(
                        StepContext context,
                        Tensor outputGradientTHD,
                        QueryKeyValue in,
                        Tensor outputTHD,
                        Tensor logSumExpBHS,
                        QueryKeyValue gradient) {
                    right.backward(context, outputGradientTHD, in, outputTHD, logSumExpBHS, gradient);
                    context.device().kernels().elementwise().scale(context.queue(), gradient.valueBGSD(), 1.1);
                }
            };
        }
    }
}
