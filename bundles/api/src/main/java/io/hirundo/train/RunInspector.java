package io.hirundo.train;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearShape;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Tensor;
import java.nio.file.Path;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;
import org.osgi.annotation.versioning.ProviderType;

/** Shows the operands of a run's GEMMs. An OSGi service. */
@ProviderType
public interface RunInspector {
    /**
     * Loads the newest checkpoint of a run on one rank, including the precision's state from earlier steps. Runs forward and
     * backward on the next microbatches of its data, or on the last ones if none are left. Updates nothing and writes nothing.
     *
     * @param run its folder; the run must have ended
     * @param assignments changes of its configuration, {@code PATH=VALUE} each, for instance {@code precision=bf16}
     * @param microbatches one or more
     * @throws io.hirundo.ConfigurationException if the folder is not a run, or its model does not fit one rank's configuration
     * @throws io.hirundo.CheckpointException if it has no checkpoint that can be loaded
     * @throws io.hirundo.BusyException if the run is still running
     */
    void inspect(Path run, List<String> assignments, int microbatches, Visitor visitor);

    /** Receives the operands, on the calling thread. */
    @ConsumerType
    interface Visitor {
        /** Called once, before the first microbatch. */
        void begin(Inspected inspected);

        /**
         * Called once per layer in each microbatch's backward; for a layer that works in chunks, such as the loss head, with the
         * first chunk.
         */
        void operands(int microbatch, LayerOperands operands);

        /** Called once after {@link #begin}, also after a failure. Release everything allocated on the device, which closes next. */
        default void end() {}
    }

    /**
     * The inspected run.
     *
     * @param step of the checkpoint
     * @param precision that the run computes with
     * @param model all of it
     */
    record Inspected(long step, Choice precision, ModelSpec model) {}

    /**
     * Operands of one layer, lent until the call returns.
     *
     * @param shape of the layer, with the name of its weight
     * @param device that holds the operands
     * @param queue for work on the operands
     * @param wNK in the parameter dtype
     * @param xTK in the activation dtype
     * @param dyTN in the activation dtype, scaled for the mean loss over a global batch. With a loss mask it is scaled for the mean
     *     over the microbatch's own unmasked tokens, because the rest of the global batch is not read; it is then larger by about the
     *     number of microbatches in a global batch
     */
    record LayerOperands(LinearShape shape, Device device, Queue queue, Tensor wNK, Tensor xTK, Tensor dyTN) {}
}
