package io.hirundo.trainer.internal.profile;

import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.step.RankUpdate;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Time by kernel of a training step at the sizes of {@code benchmarks/llama-a.yaml}, {@code llama-b.yaml} and {@code llama-3.2-1b-16gb.yaml}.
 * Arguments: A, B or 1B, fp32 or bf16, steps to time, workers (0 for all), steps before them. GEMMs as by default, by oneDNN where that is
 * faster. 1B has the settings of its file: no master weights in BF16, moments in 8 bits, full recomputation. Prints {@code KERNEL name ms
 * calls GFLOP GB} of a step, and {@code STEP ms ms}: median and 90th percentile, with what the proxies cost.
 */
public final class StepProfile {
    private record Sizes(LlamaOptions model, int sequenceTokens, int microBatch, boolean leastMemory) {}

    private static final Sizes A = new Sizes(
            new LlamaOptions(4096, 288, 768, 6, 6, 6, 0, 256, 1e-5, 500000, null, false, 0.02, false, false, 0),
            256,
            8,
            false);
    private static final Sizes B = new Sizes(
            new LlamaOptions(32000, 512, 1408, 8, 8, 2, 0, 512, 1e-5, 500000, null, false, 0.02, false, false, 0),
            512,
            2,
            false);
    private static final Sizes ONE_B = new Sizes(
            new LlamaOptions(128256, 2048, 8192, 16, 32, 8, 0, 512, 1e-5, 500000, null, true, 0.02, false, false, 0),
            512,
            1,
            true);
    private static final Sizes SMOKE = new Sizes(
            new LlamaOptions(128, 64, 96, 1, 2, 2, 0, 32, 1e-5, 500000, null, false, 0.02, false, false, 0),
            32,
            1,
            false);

    private StepProfile() {}

    public static void main(String[] arguments) {
        Sizes sizes = switch (arguments[0]) {
            case "A" -> A;
            case "B" -> B;
            case "1B" -> ONE_B;
            default -> SMOKE;
        };
        int steps = Integer.parseInt(arguments[2]);
        int workers = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 0;
        int warmUp = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 6;
        var timed = new TimedKernels();
        var compute = new Strategies.Compute(
                timed.wrap(new CpuBackend(new CpuOptions(workers, CpuOptions.VECTOR), List.of(OutsideOsgi.oneDnn()))),
                precision(arguments[1], sizes));
        try (RankModel model =
                        RankModel.openAlone(compute, TestParallel.defaults(), new LlamaFactory().create(sizes.model));
                var update = new RankUpdate(
                        model, new AdamWFactory().create(new AdamWOptions(0.9, 0.95, 1e-8, 0.1, sizes.leastMemory)))) {
            new ModelWeights(model).initialize(1);
            var training = new TrainingSection(
                    steps,
                    sizes.sequenceTokens,
                    sizes.microBatch,
                    sizes.microBatch,
                    0,
                    sizes.leastMemory ? Recompute.FULL : Recompute.NONE);
            var runner = new StepRunner(model, update, training.step());
            var random = new Random(1);
            long[] nanos = new long[steps];
            double loss = 0;
            for (int step = 1; step <= warmUp + steps; step++) {
                HostBatch batch = batch(sizes, random);
                if (step == warmUp + 1) {
                    timed.clear();
                }
                long began = System.nanoTime();
                loss = runner.step(batch, step, 1e-3, StepSignals.SILENT).loss();
                if (step > warmUp) {
                    nanos[step - warmUp - 1] = System.nanoTime() - began;
                }
            }
            print(timed, nanos, loss);
        }
    }

    private static PrecisionStrategy precision(String name, Sizes sizes) {
        return name.equals("bf16")
                ? new Bf16Factory().create(sizes.leastMemory ? new Bf16Options("none") : new Bf16Options())
                : new Fp32Factory().create(new NoOptions());
    }

    private static HostBatch batch(Sizes sizes, Random random) {
        List<int[]> rows = new ArrayList<>();
        for (int i = 0; i < sizes.microBatch; i++) {
            rows.add(random.ints(sizes.sequenceTokens + 1, 0, (int) sizes.model.vocabSize())
                    .toArray());
        }
        return new HostBatch(rows);
    }

    private static void print(TimedKernels timed, long[] nanos, double loss) {
        timed.totals().entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue().nanos, a.getValue().nanos))
                .forEach(entry -> {
                    TimedKernels.Total total = entry.getValue();
                    System.out.printf(
                            Locale.ROOT,
                            "KERNEL %-32s %8.2f ms %4d calls %7.2f GFLOP %6.3f GB%n",
                            entry.getKey(),
                            total.nanos * 1e-6 / nanos.length,
                            total.calls / nanos.length,
                            total.flops * 1e-9 / nanos.length,
                            total.bytes * 1e-9 / nanos.length);
                });
        double all = Arrays.stream(nanos).sum() * 1e-6 / nanos.length;
        double kernels =
                timed.totals().values().stream().mapToLong(each -> each.nanos).sum() * 1e-6 / nanos.length;
        System.out.printf(
                Locale.ROOT,
                "KERNEL %-32s %8.2f ms %4d calls %7.2f GFLOP %6.3f GB%n",
                "(none)",
                all - kernels,
                0,
                0.0,
                0.0);
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "STEP %.2f ms median, %.2f ms 90th percentile, loss %.9f%n",
                nanos[nanos.length / 2] * 1e-6,
                nanos[nanos.length * 9 / 10] * 1e-6,
                loss);
    }
}
