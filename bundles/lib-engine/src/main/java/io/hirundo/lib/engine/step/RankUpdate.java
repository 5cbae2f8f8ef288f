package io.hirundo.lib.engine.step;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.lib.engine.tensors.OwnedSlices;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The training part of a rank's model: gradients, their global norm and the optimizer state. */
public final class RankUpdate implements AutoCloseable {
    /**
     * Results over all ranks.
     *
     * @param lossSum sum over the tokens of the global batch, in nats
     * @param gradientNorm global norm before clipping
     * @param signals signals of any rank
     */
    record Totals(double lossSum, double gradientNorm, StepSignals signals) {}

    private final RankModel model;
    private final OptimizerState optimizer;
    /**
     * Loss, sum of squared gradients, and the counts of ranks that signal a stop, a request or a save: a single all-reduce. The sixth element
     * is the norm, so that one download reads everything.
     */
    private final Tensor results6;

    private final Tensor clipCoefficient;
    /** A separate queue, so that the host reads the results and starts the next step while the device updates the weights. */
    private final Queue reading;

    private final Opened opened = new Opened();

    /** If this fails, only the gradients stay allocated, and the model frees them. */
    public RankUpdate(RankModel model, Optimizer optimizer) {
        this.model = model;
        try {
            this.optimizer = opened.add(
                    new OptimizerState(
                            model.device(), model.queue(), model.sharded().owned(), optimizer),
                    OptimizerState::close);
            this.results6 = opened.add(scalars(model.device(), 6), Tensor::close);
            this.clipCoefficient = opened.add(scalars(model.device(), 1), Tensor::close);
            this.reading = opened.add(model.device().newQueue("results"), Queue::close);
            // Last, so that a run whose late gradients do not fit in addition to all other state fails before its first
            // step.
            model.sharded().allocateGradients();
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /**
     * Clips the complete gradients and updates the weights. Returns when the totals are known, which may be before the update has finished.
     *
     * @param clipNorm maximum norm; 0 for no clipping
     * @param own signals of this rank
     */
    Totals apply(long step, double learningRate, double clipNorm, StepSignals own) {
        Event summed = sum(clipNorm, own, Set.of());
        optimizer.step(model.queue(), step, learningRate, clipCoefficient);
        model.weightsChanged();
        return totals(summed);
    }

    /** The loss and the norm of the complete gradients, without those of some parameters. Changes nothing. */
    Totals measure(Set<String> without) {
        return totals(sum(0, StepSignals.NONE, without));
    }

    private Event sum(double clipNorm, StepSignals own, Set<String> without) {
        Queue queue = model.queue();
        var kernels = model.device().kernels();
        Tensor totals5 = results6.rows(0, 5);
        Tensor sumOfSquares = results6.rows(1, 1);
        kernels.elementwise().fill(queue, totals5, 0);
        addLoss(queue, results6.rows(0, 1));
        addSquares(queue, sumOfSquares, without);
        boolean[] signals = {own.stop(), own.request(), own.save()};
        for (int index = 0; index < signals.length; index++) {
            if (signals[index]) {
                kernels.elementwise().fill(queue, totals5.rows(2 + index, 1), 1);
            }
        }
        ProcessGroup everyone = model.rank().everyone();
        queue.await(everyone.allReduce(queue, totals5, Reduction.SUM).event());
        double maximumNorm = clipNorm == 0 ? Double.POSITIVE_INFINITY : clipNorm;
        kernels.optimizer().clipCoefficient(queue, sumOfSquares, maximumNorm, results6.rows(5, 1), clipCoefficient);
        return queue.record();
    }

    private Totals totals(Event summed) {
        reading.await(summed);
        double[] found = HostCopies.readScalars(model.device(), reading, results6);
        return new Totals(found[0], found[5], new StepSignals(found[2] > 0, found[3] > 0, found[4] > 0));
    }

    /** Tensor-parallel ranks each have the full loss, so only tensor rank 0 adds it to the sum. */
    private void addLoss(Queue queue, Tensor lossSum) {
        if (model.rank().coordinate(Axis.TENSOR) == 0) {
            model.device().kernels().elementwise().copy(queue, model.lossSum(), lossSum);
        }
    }

    private void addSquares(Queue queue, Tensor sumOfSquares, Set<String> without) {
        List<Tensor> gradients = model.sharded().owned().stream()
                .filter(run -> !without.contains(run.spec().name()))
                .flatMap(RankUpdate::gradientsOfFirstReplicas)
                .toList();
        model.device().kernels().optimizer().addSumOfSquares(queue, gradients, sumOfSquares);
    }

    /** Only the first replica of a gradient counts. */
    private static Stream<Tensor> gradientsOfFirstReplicas(Parameter run) {
        if (run.spec().parts().stream().allMatch(part -> part.replicas().isFirst())) {
            return Stream.of(run.gradient());
        }
        return OwnedSlices.of(run).stream()
                .filter(piece -> piece.part().replicas().isFirst())
                .map(piece -> piece.in(run.gradient()));
    }

    /** Whether this rank's weights are finite. Waits for the update; between two steps. */
    public boolean hasFiniteWeights() {
        Queue queue = model.queue();
        Tensor sumOfSquares = results6.rows(1, 1);
        model.device().kernels().elementwise().fill(queue, sumOfSquares, 0);
        List<Tensor> weights =
                model.sharded().owned().stream().map(Parameter::value).toList();
        // In FP64, where the squares of finite weights do not overflow.
        model.device().kernels().optimizer().addSumOfSquares(queue, weights, sumOfSquares);
        queue.drain();
        return Double.isFinite(HostCopies.readScalars(model.device(), queue, sumOfSquares)[0]);
    }

    public OptimizerState optimizer() {
        return optimizer;
    }

    @Override
    public void close() {
        opened.close();
    }

    private static Tensor scalars(Device device, int count) {
        return device.allocate(MemoryCategory.WORKSPACE, Shape.of(count), DType.FP64);
    }
}
