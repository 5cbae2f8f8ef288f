package io.hirundo.devicecuda.internal.suite.layouts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.commlocal.internal.LocalFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.devicecuda.internal.StubCuda;
import io.hirundo.devicecuda.internal.suite.Allowance;
import io.hirundo.devicecuda.internal.suite.Part.Finding;
import io.hirundo.devicecuda.internal.suite.layouts.Comparisons.Compared;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.optimizeradamw.internal.AdamWFactory;
import io.hirundo.optimizeradamw.internal.ConstantFactory;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleldp.internal.Zero1Factory;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.paralleltp.internal.ColumnRowFactory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.run.DefaultTrainer;
import io.hirundo.trainer.internal.strategy.Offer;
import io.hirundo.trainer.internal.strategy.StrategyTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Eight ranks on the emulated GPU, by the trainer. In the profile {@code parity}: emulation takes a minute for it. */
@Tag("matrix")
class SharedGpuLayoutsTest {
  @Test
  void ranksThatShareAGpuTrainAsOneDoes() {
    StubCuda stub = StubCuda.orSkip();
    var table =
        StrategyTable.of(
            new Offer("device", "cuda", "test", stub.factory()),
            new Offer("precision", "fp32", "test", new Fp32Factory()),
            new Offer("model", "llama", "test", new LlamaFactory()),
            new Offer("fabric", "local", "test", new LocalFactory()),
            new Offer("schedule", "1f1b", "test", new OneForwardOneBackwardFactory()),
            new Offer("tensor-parallel", "column-row", "test", new ColumnRowFactory()),
            new Offer("context-parallel", "ring", "test", new RingFactory()),
            new Offer("data-parallel", "zero1", "test", new Zero1Factory()),
            new Offer("optimizer", "adamw", "test", new AdamWFactory()),
            new Offer("learning-rate", "constant", "test", new ConstantFactory()),
            new Offer("data", "synthetic", "test", new SyntheticFactory()));
    var options = Map.<String, Object>of("toolkit", stub.toolkit(), "kernelCache", stub.kernels().toString(), "gemm", "own");
    var layouts = List.of(new Compared(Layout.of(2, 1, 2, 2), Precision.FP32));
    var part =
        new LayoutsPart(new DefaultTrainer(table), layouts, new Choice("cuda", options), ranks -> stub.backend().sharedBy(ranks).devices());
    Finding found = part.run(new Allowance(Integer.MAX_VALUE, System::nanoTime), line -> {});
    assertEquals(List.of(), found.failures());
    assertEquals("1 of 1 layouts agree with a single rank; up to 8 ranks on cuda 0", found.summary());
  }
}
