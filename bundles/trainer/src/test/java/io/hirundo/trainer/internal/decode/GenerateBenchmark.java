package io.hirundo.trainer.internal.decode;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.inference.decode.CachedLogits;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;

/**
 * Greedy generation of 200 tokens by a model of quickstart's sizes with random weights, several rounds in one process, so that the JIT
 * compiler's share is seen: {@code benchmarks/generate-versus}. Prints a line RESULT for each round; CPU time counts all threads.
 */
public final class GenerateBenchmark {
    private static final int TOKENS = 200;

    private GenerateBenchmark() {}

    /** {@code arguments}: rounds, 10 without. */
    public static void main(String[] arguments) {
        int rounds = arguments.length == 0 ? 10 : Integer.parseInt(arguments[0]);
        var sizes = new LlamaOptions(8192, 128, 384, 4, 2, 2, 0, 256, 1e-5, 10000, null, true, 0.02, false, false, 0);
        var compute = new Strategies.Compute(
                new CpuBackendFactory().create(new CpuOptions(0, CpuOptions.VECTOR)),
                new Fp32Factory().create(new NoOptions()));
        try (RankModel model =
                RankModel.openAlone(compute, TestParallel.defaults(), new LlamaFactory().create(sizes))) {
            new ModelWeights(model).initialize(1);
            model.weightsChanged();
            for (int round = 1; round <= rounds; round++) {
                long cpu = cpuNanos();
                long began = System.nanoTime();
                generate(model);
                double seconds = (System.nanoTime() - began) * 1e-9;
                System.out.printf(
                        Locale.ROOT,
                        "RESULT round %d: %d tokens in %.2f s = %.0f tok/s; %.2f s of CPU time%n",
                        round,
                        TOKENS,
                        seconds,
                        TOKENS / seconds,
                        (cpuNanos() - cpu) * 1e-9);
            }
        }
    }

    private static void generate(RankModel model) {
        try (var logits = new CachedLogits(model, Integer.MAX_VALUE)) {
            int[] tokens = {1, 2, 3};
            logits.reserve(tokens.length + TOKENS);
            for (int i = 0; i < TOKENS; i++) {
                float[] next = logits.afterLast(tokens);
                int best = 0;
                for (int id = 1; id < next.length; id++) {
                    best = next[id] > next[best] ? id : best;
                }
                tokens = Arrays.copyOf(tokens, tokens.length + 1);
                tokens[tokens.length - 1] = best;
            }
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
