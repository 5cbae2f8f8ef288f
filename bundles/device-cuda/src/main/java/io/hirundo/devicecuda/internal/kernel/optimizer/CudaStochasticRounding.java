package io.hirundo.devicecuda.internal.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.tensor.DType;
import java.util.List;

/** The kernel {@code round_stochastically} of {@code optimizer.cu}, one launch for each tensor. */
public record CudaStochasticRounding(Modules modules) implements StochasticRoundingKernels {
    @Override
    public void round(Queue queue, List<Rounding> roundings) {
        for (Rounding each : roundings) {
            CudaTensor from = CudaTensor.CHECK.of("fromN", each.fromN(), DType.FP32);
            CudaTensor to = CudaTensor.CHECK.of("toN", each.toN(), DType.BF16);
            Places places = each.places();
            modules.launch(queue, "optimizer", "round_stochastically")
                    .tensor(from)
                    .tensor(to)
                    .integer(from.elements())
                    .integer(places.key())
                    .integer(places.first())
                    .integer(places.skipped())
                    .integer(places.columns())
                    .integer(places.stride())
                    .run(Grid.of(from.elements()), Grid.THREADS);
        }
    }
}
