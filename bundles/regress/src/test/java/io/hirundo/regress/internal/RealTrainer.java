package io.hirundo.regress.internal;

import io.hirundo.commlocal.internal.fabric.LocalFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8pertensor.internal.Fp8DelayedFactory;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleldp.internal.fsdp.FsdpFactory;
import io.hirundo.paralleldp.internal.fsdp.Zero2Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.parallelpp.internal.InterleavedFactory;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.parallelpp.internal.ZeroBubbleH1Factory;
import io.hirundo.parallelpp.internal.ZeroBubbleVFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowFactory;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.regress.internal.optimizer.NoUpdateFactory;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.train.Trainer;
import io.hirundo.trainer.internal.service.DefaultTrainer;
import java.util.ArrayList;
import java.util.List;

/** The trainer with real strategies. A test can replace strategies by name. */
public final class RealTrainer {
    private RealTrainer() {}

    public static Trainer with(Offer... others) {
        return new DefaultTrainer(strategies(others));
    }

    /** The strategies of that trainer. */
    public static StrategyTable strategies(Offer... others) {
        var offers = new ArrayList<>(List.of(
                offer("device", "cpu", new CpuBackendFactory()),
                offer("precision", "fp32", new Fp32Factory()),
                offer("precision", "bf16", new Bf16Factory()),
                offer("precision", "fp8-blockwise", new Fp8BlockwiseFactory()),
                offer("precision", "fp8-delayed", new Fp8DelayedFactory()),
                offer("architecture", "llama", new LlamaFactory()),
                offer("fabric", "local", new LocalFactory()),
                offer("schedule", "1f1b", new OneForwardOneBackwardFactory()),
                offer("schedule", "interleaved", new InterleavedFactory()),
                offer("schedule", "zb-h1", new ZeroBubbleH1Factory()),
                offer("schedule", "zb-v", new ZeroBubbleVFactory()),
                offer("tensor-parallel", "column-row", new ColumnRowFactory()),
                offer("context-parallel", "ring", new RingFactory()),
                offer("data-parallel", "zero1", new Zero1Factory()),
                offer("data-parallel", "fsdp", new FsdpFactory()),
                offer("data-parallel", "zero2", new Zero2Factory()),
                offer("optimizer", "adamw", new AdamWFactory()),
                offer("optimizer", "none", new NoUpdateFactory()),
                offer("learning-rate", "constant", new ConstantFactory()),
                offer("data", "synthetic", new SyntheticFactory())));
        for (Offer other : others) {
            offers.removeIf(
                    each -> each.kind().equals(other.kind()) && each.name().equals(other.name()));
            offers.add(other);
        }
        return new StrategyTable(offers);
    }

    public static Offer offer(String kind, String name, StrategyFactory<?, ?> factory) {
        return new Offer(kind, name, "test", factory);
    }
}
