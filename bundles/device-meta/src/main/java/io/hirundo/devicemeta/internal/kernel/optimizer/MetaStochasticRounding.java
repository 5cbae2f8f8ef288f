package io.hirundo.devicemeta.internal.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.tensor.DType;
import java.util.List;

/** Stochastic rounding. Operations per element: 2 rounds of 8 for the random bits, and 4. */
public record MetaStochasticRounding(Work work) implements StochasticRoundingKernels {
    @Override
    public void round(Queue queue, List<Rounding> roundings) {
        for (Rounding each : roundings) {
            work.book(
                    queue,
                    "optimizer.stochasticRounding",
                    20 * each.fromN().elements(),
                    MetaTensor.CHECK.of("fromN", each.fromN(), DType.FP32),
                    MetaTensor.CHECK.of("toN", each.toN(), DType.BF16));
        }
    }
}
