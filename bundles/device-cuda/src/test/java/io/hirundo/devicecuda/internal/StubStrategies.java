package io.hirundo.devicecuda.internal;

import io.hirundo.commlocal.internal.LocalFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.optimizeradamw.internal.AdamWFactory;
import io.hirundo.optimizeradamw.internal.ConstantFactory;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleldp.internal.Zero1Factory;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.paralleltp.internal.ColumnRowFactory;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.trainer.internal.strategy.Offer;
import io.hirundo.trainer.internal.strategy.StrategyTable;

/** What trainings on the emulated GPU may choose. */
public final class StubStrategies {
  private StubStrategies() {}

  public static StrategyTable of(StubCuda stub) {
    return StrategyTable.of(
        new Offer("device", "cuda", "test", stub.factory()),
        new Offer("precision", "fp32", "test", new Fp32Factory()),
        new Offer("precision", "bf16", "test", new Bf16Factory()),
        new Offer("model", "llama", "test", new LlamaFactory()),
        new Offer("fabric", "local", "test", new LocalFactory()),
        new Offer("schedule", "1f1b", "test", new OneForwardOneBackwardFactory()),
        new Offer("tensor-parallel", "column-row", "test", new ColumnRowFactory()),
        new Offer("context-parallel", "ring", "test", new RingFactory()),
        new Offer("data-parallel", "zero1", "test", new Zero1Factory()),
        new Offer("optimizer", "adamw", "test", new AdamWFactory()),
        new Offer("learning-rate", "constant", "test", new ConstantFactory()),
        new Offer("data", "synthetic", "test", new SyntheticFactory()));
  }
}
