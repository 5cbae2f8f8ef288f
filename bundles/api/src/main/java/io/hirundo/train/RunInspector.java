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

/** Shows what goes into the products of a run's linear layers. An OSGi service. */
@ProviderType
public interface RunInspector {
  /**
   * Loads the weights of a run's newest checkpoint on one rank, with what its precision remembers of earlier steps, and finds the
   * gradients of the microbatches that come next in its data; where it has none left, of its last ones. Nothing is updated, and
   * nothing is written.
   *
   * @param run its folder; the run must have ended or been stopped
   * @param assignments {@code PATH=VALUE} each: changes of its configuration, {@code precision=bf16} for instance
   * @param microbatches one or more
   * @throws io.hirundo.ConfigurationException when it is no run, or its model does not fit one rank's configuration
   * @throws io.hirundo.CheckpointException when it has no checkpoint that can be loaded
   * @throws io.hirundo.BusyException when the run goes on
   */
  void inspect(Path run, List<String> assignments, int microbatches, Visitor visitor);

  /** Sees them. Called on the thread that asked. */
  @ConsumerType
  interface Visitor {
    /** Once, before the first microbatch. */
    void begin(Inspected inspected);

    /** In the backward of each microbatch once for each layer; of a layer that works in pieces, as the loss head does, the first. */
    void operands(int microbatch, LayerOperands operands);

    /** Once after {@link #begin}, also where something failed: the device closes, and with it must go what was made on it. */
    default void end() {}
  }

  /**
   * What is looked at.
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
   * @param device that they are on
   * @param queue that work on them goes to
   * @param wNK in the type of the parameters
   * @param xTK in the type of the activations
   * @param dyTN in that type too; of what the microbatch adds to the mean loss over a global batch. Where some labels do not
   *     count, of the mean over those of the microbatch that do, since nobody counts those of the rest of the batch: larger by
   *     about as many times as there are microbatches in a global batch
   */
  record LayerOperands(LinearShape shape, Device device, Queue queue, Tensor wNK, Tensor xTK, Tensor dyTN) {}
}
