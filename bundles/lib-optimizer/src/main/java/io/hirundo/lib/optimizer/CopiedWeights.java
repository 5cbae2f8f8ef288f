package io.hirundo.lib.optimizer;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Ownership;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Updates BF16 weights through an FP32 copy of some of them.
 *
 * @param stochastic empty if weights are rounded to the nearest number
 * @param copy memory for some weights; owned
 */
record CopiedWeights(
        ElementwiseKernels elementwise,
        WeightRounding rounding,
        Optional<StochasticRoundingKernels> stochastic,
        Tensor copy)
        implements AutoCloseable {
    /** 16 MiB, which fit into the cache of a GPU. */
    private static final long MAX_ELEMENTS = 1 << 22;

    static CopiedWeights of(Device device, List<Parameter> parameters, WeightRounding rounding) {
        Optional<StochasticRoundingKernels> stochastic =
                rounding.isStochastic() ? Optional.of(kernels(device)) : Optional.empty();
        long elements = parameters.stream()
                .mapToLong(each -> aligned(each.value().elements()))
                .sum();
        Tensor copy = device.allocate(MemoryCategory.WORKSPACE, Shape.of(Math.min(MAX_ELEMENTS, elements)), DType.FP32);
        return new CopiedWeights(device.kernels().elementwise(), rounding, stochastic, copy);
    }

    private static StochasticRoundingKernels kernels(Device device) {
        return device.kernels()
                .find(StochasticRoundingKernels.class)
                .orElseThrow(
                        () -> new ConfigurationException(
                                "precision.options.masterWeights: none is wrong with device "
                                        + device.info().name()
                                        + ", which has no StochasticRoundingKernels (allowed: fp32); set it to fp32, or optimizer.options.bf16Rounding to nearest"));
    }

    /** Blocks of state must not be divided, and vector loads want aligned elements. */
    private static long aligned(long elements) {
        return Math.ceilDiv(elements, Ownership.BLOCK_ELEMENTS) * Ownership.BLOCK_ELEMENTS;
    }

    void run(Queue queue, long step, List<Parameter> runs, Consumer<List<UpdatePiece>> update) {
        var together = new ArrayList<UpdatePiece>();
        long used = 0;
        for (Parameter run : runs) {
            long elements = run.value().elements();
            long first = 0;
            while (first < elements) {
                long count = Math.min(elements - first, copy.elements() - used);
                Shape shape = Shape.of(count);
                together.add(new UpdatePiece(
                        run, first, copy.view(used, shape), run.gradient().view(first, shape)));
                first += count;
                used += aligned(count);
                if (used == copy.elements()) {
                    update(queue, step, together, update);
                    together.clear();
                    used = 0;
                }
            }
        }
        if (!together.isEmpty()) {
            update(queue, step, together, update);
        }
    }

    private void update(Queue queue, long step, List<UpdatePiece> pieces, Consumer<List<UpdatePiece>> update) {
        pieces.forEach(piece -> elementwise.copy(queue, weights(piece), piece.valueN()));
        update.accept(List.copyOf(pieces));
        stochastic.ifPresentOrElse(
                kernels -> kernels.round(
                        queue,
                        pieces.stream()
                                .flatMap(piece -> RoundedPlaces.of(piece, rounding.seed(), step).stream())
                                .toList()),
                () -> pieces.forEach(piece -> elementwise.copy(queue, piece.valueN(), weights(piece))));
    }

    /** The weights that a piece is a copy of. */
    static Tensor weights(UpdatePiece piece) {
        return piece.parameter().value().view(piece.first(), piece.valueN().shape());
    }

    @Override
    public void close() {
        copy.close();
    }
}
