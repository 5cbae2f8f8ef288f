package io.hirundo.trainer.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.fit.LayoutCheck;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.modelqwen.internal.QwenFactory;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.planner.internal.plan.RunPlanner;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.trainer.internal.fixture.BareBackend;
import io.hirundo.trainer.internal.fixture.Examples;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A model with biases on a device that has no kernels for them, which a bundle brings. */
class CompletedRunTest {
    private static final Map<String, Object> SIZES = Map.of(
            "modelType",
            "qwen2",
            "vocabSize",
            98,
            "hiddenSize",
            32,
            "intermediateSize",
            56,
            "numHiddenLayers",
            2,
            "numAttentionHeads",
            2,
            "numKeyValueHeads",
            2,
            "maxPositionEmbeddings",
            64);

    private static Map<String, Object> choice(String name, Map<String, Object> options) {
        return Map.of("name", name, "options", options);
    }

    private static Map<String, Object> configuration(String device) {
        return configuration(device, choice("fp32", Map.of()), choice("adamw", Map.of()));
    }

    private static Map<String, Object> configuration(
            String device, Map<String, Object> precision, Map<String, Object> optimizer) {
        return Map.of(
                "precision",
                precision,
                "optimizer",
                optimizer,
                "run",
                Map.of("name", "completed"),
                "device",
                choice(device, Map.of("workers", 1)),
                "model",
                Map.of("architecture", choice("qwen", SIZES), "export", false),
                "training",
                Map.of("steps", 3, "sequenceTokens", 64, "microBatch", 2, "globalBatch", 4),
                "mesh",
                Map.of("tensor", 2),
                "monitors",
                List.of(),
                "data",
                Map.of("source", choice("synthetic", Map.of("vocabulary", 98))));
    }

    private static StrategyTable installed(StrategyFactory<?, ?>... kernels) {
        var offers = new ArrayList<>(Examples.STRATEGIES.offers());
        offers.add(new Offer("architecture", "qwen", "test 1.0.0", new QwenFactory()));
        offers.add(new Offer("device", "bare", "test 1.0.0", new BareFactory(BiasKernels.class)));
        for (StrategyFactory<?, ?> each : kernels) {
            offers.add(new Offer("kernels", "composed-bias", "acme 1.0.0", each));
        }
        return new StrategyTable(offers);
    }

    /** The CPU without a family. */
    private record BareFactory(Class<?> lacks) implements StrategyFactory<CpuOptions, ComputeBackend> {
        @Override
        public ComputeBackend create(CpuOptions options) {
            return new BareBackend(new CpuBackendFactory().create(options), lacks);
        }
    }

    @Test
    void trainsAsWithKernelsOfTheDeviceAndUsesThePlannedBytes() {
        StrategyTable table = installed(new ComposedBias());
        Trained expected = train(table, "cpu");
        Trained actual = train(table, "bare");
        for (int step = 0; step < expected.losses().size(); step++) {
            assertEquals(expected.losses().get(step), actual.losses().get(step), 1e-6);
        }
        assertTrue(
                actual.workspaceBytes() > expected.workspaceBytes(),
                "composed kernels take no workspace: this test proves nothing");
    }

    private record Trained(List<Double> losses, long workspaceBytes) {}

    private static Trained train(StrategyTable table, String device) {
        RunConfiguration configuration = new ConfigurationBinder(table).bind(configuration(device));
        try (var strategies = new StrategyResolver(table).resolve(configuration);
                LocalRun run = LocalRun.open(configuration, strategies)) {
            var losses = new ArrayList<Double>();
            for (int step = 0; step < 3; step++) {
                losses.add(run.step().loss());
            }
            run.validation().all(() -> false);
            // Plans count the buffers of control messages.
            run.exchange("");
            var planned = new RunPlanner(table)
                    .plan(configuration, strategies, DryRun.Watch.NONE)
                    .counted()
                    .ranks();
            for (int rank = 0; rank < 2; rank++) {
                assertEquals(
                        run.ranks().ledger(rank).peakBytes(), planned.get(rank).peakBytes());
            }
            List<String> kernels = strategies.compute().kernels().counted();
            assertEquals(device.equals("bare") ? 1 : 0, kernels.size(), kernels.toString());
            assertTrue(
                    kernels.stream().allMatch(line -> line.contains("BiasKernels by composed-bias")),
                    kernels.toString());
            return new Trained(losses, run.ranks().ledger(0).peakBytes().get(MemoryCategory.WORKSPACE));
        }
    }

    @Test
    void withoutThemRunAndPlanAreRejectedBeforeADeviceIsOpened() {
        StrategyTable table = installed();
        RunConfiguration configuration = new ConfigurationBinder(table).bind(configuration("bare"));
        try (var strategies = new StrategyResolver(table).resolve(configuration)) {
            String run = assertThrows(ConfigurationException.class, () -> LocalRun.open(configuration, strategies))
                    .getMessage();
            assertEquals(
                    "device: layer model.layers.0.self_attn.qkv.bias needs BiasKernels, which device cpu lacks (no bundle provides them);"
                            + " install such a bundle, or choose another device",
                    run);
            var planner = new RunPlanner(table);
            assertEquals(
                    run,
                    assertThrows(
                                    ConfigurationException.class,
                                    () -> planner.plan(configuration, strategies, DryRun.Watch.NONE))
                            .getMessage());
        }
    }

    @Test
    void kernelsOfPrecisionAndOptimizerAreRequiredBeforeADeviceIsOpened() {
        assertEquals(
                "precision: fp8-blockwise needs BlockScaledKernels, which device cpu lacks (no bundle provides them);"
                        + " install such a bundle, or choose another device or precision",
                rejection(BlockScaledKernels.class, choice("fp8-blockwise", Map.of()), choice("adamw", Map.of())));
        assertEquals(
                "optimizer: adamw needs AdamW8BitKernels, which device cpu lacks (no bundle provides them);"
                        + " install such a bundle, or choose another device or optimizer, or add --set optimizer.options.eightBitState=false",
                rejection(
                        AdamW8BitKernels.class,
                        choice("fp32", Map.of()),
                        choice("adamw", Map.of("eightBitState", true))));
        String rounding = rejection(
                StochasticRoundingKernels.class,
                choice("bf16", Map.of("masterWeights", "none")),
                choice("adamw", Map.of()));
        assertTrue(rounding.endsWith(", or add --set optimizer.options.bf16Rounding=nearest"), rounding);
    }

    private static String rejection(Class<?> lacks, Map<String, Object> precision, Map<String, Object> optimizer) {
        var offers = new ArrayList<>(installed(new ComposedBias()).offers());
        offers.add(new Offer("device", "lacking", "test 1.0.0", new BareFactory(lacks)));
        var table = new StrategyTable(offers);
        RunConfiguration configuration =
                new ConfigurationBinder(table).bind(configuration("lacking", precision, optimizer));
        return assertThrows(
                        ConfigurationException.class,
                        () -> LayoutCheck.check(configuration, new StrategyResolver(table)))
                .getMessage();
    }
}
