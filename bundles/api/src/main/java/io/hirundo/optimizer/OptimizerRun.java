package io.hirundo.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** The optimizer state of one run. */
@ConsumerType
public interface OptimizerRun extends AutoCloseable {
    /**
     * An optimizer state tensor, shaped like its parameter.
     *
     * @param parameter its parameter; of state in blocks, one of the same name with an element for each block
     * @param name PyTorch's name, for instance {@code exp_avg}
     * @param tensor lent; for saving and loading
     */
    record State(Parameter parameter, String name, Tensor tensor) {}

    /**
     * Updates every parameter from its gradient.
     *
     * @param step from 1; counts the steps since the state began at zero, which is usually the run's first step
     * @param gradientCoefficient1 FP64 scalar on the device that scales the gradients: the clipping coefficient
     */
    void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1);

    /** Everything that the next step depends on, other than values and gradients: what is not listed is lost when a run resumes. */
    List<State> state();

    @Override
    void close();
}
