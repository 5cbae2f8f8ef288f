package io.hirundo.trainer.internal.run;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import io.hirundo.model.Block;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.config.TrainingSection;
import io.hirundo.trainer.internal.layer.ParameterStore;
import io.hirundo.trainer.internal.layer.PlainLayerFactory;
import java.util.List;

/**
 * One rank's open device, model and optimizer. Belongs to the rank's thread. Weights are undefined until loaded or
 * initialized; {@link #weightsChanged} must follow every such change.
 */
final class RankModel implements AutoCloseable {
  private final Device device;
  private final Queue queue;
  private final World world;
  private final ModelSpec spec;
  private final ParameterStore parameters = new ParameterStore();
  private final PlainLayerFactory layers;
  private final ModelStage stage;
  private final OptimizerRun optimizer;
  private final StepScalars scalars;
  private final DType activationType;

  /** Opens everything; on failure nothing stays open. */
  static RankModel open(Strategies strategies, Mesh mesh, TrainingSection training, DeviceLedger ledger) {
    var compute = strategies.compute();
    if (compute.backend().devices().isEmpty()) {
      throw new ConfigurationException("device: this backend has no device on this machine; see 'hirundo doctor'");
    }
    checkSequence(strategies.model().architecture().describe(), training);
    int rank = compute.fabric().localRanks(mesh).getFirst();
    Device device = compute.backend().open(0, ledger);
    try {
      return new RankModel(strategies, device, compute.fabric().connect(rank, mesh, device));
    } catch (RuntimeException | Error failure) {
      device.close();
      throw failure;
    }
  }

  private RankModel(Strategies strategies, Device device, World world) {
    this.device = device;
    this.world = world;
    this.queue = device.newQueue("compute");
    this.activationType = strategies.compute().precision().activationType();
    this.layers = new PlainLayerFactory(device, queue, strategies.compute().precision(), parameters);
    var architecture = strategies.model().architecture();
    this.spec = architecture.describe();
    this.stage =
        new ModelStage(spec.blocks().stream().<Block>map(block -> architecture.build(block, layers)).toList());
    parameters.allocate(device, strategies.compute().precision().parameterType());
    this.optimizer = strategies.update().optimizer().bind(device, parameters.all());
    this.scalars = new StepScalars(device);
  }

  Device device() {
    return device;
  }

  Queue queue() {
    return queue;
  }

  World world() {
    return world;
  }

  ModelSpec spec() {
    return spec;
  }

  ModelStage stage() {
    return stage;
  }

  List<Parameter> parameters() {
    return parameters.all();
  }

  OptimizerRun optimizer() {
    return optimizer;
  }

  StepScalars scalars() {
    return scalars;
  }

  RunStepContext.RankDevice rankDevice() {
    return new RunStepContext.RankDevice(device, queue, activationType);
  }

  void zeroGradients() {
    parameters.zeroGradients(device, queue);
  }

  /** Lets the precision strategy prepare the weights. */
  void weightsChanged() {
    layers.prepareWeights(queue);
  }

  long parameterCount() {
    return parameters.all().stream().mapToLong(parameter -> parameter.spec().shape().elements()).sum();
  }

  @Override
  public void close() {
    scalars.close();
    optimizer.close();
    layers.close();
    parameters.close();
    queue.close();
    world.close();
    device.close();
  }

  private static void checkSequence(ModelSpec spec, TrainingSection training) {
    if (training.sequenceTokens() > spec.maximumSequenceTokens()) {
      throw new ConfigurationException(
          "training.sequenceTokens: " + training.sequenceTokens() + " is longer than the model allows ("
              + spec.maximumSequenceTokens() + ", its maxPositionEmbeddings)");
    }
  }

  /** FP64 scalars of a step that live on the device. */
  static final class StepScalars implements AutoCloseable {
    final Tensor lossSum;
    final Tensor sumOfSquares;
    final Tensor norm;
    final Tensor clipCoefficient;

    private StepScalars(Device device) {
      lossSum = scalar(device);
      sumOfSquares = scalar(device);
      norm = scalar(device);
      clipCoefficient = scalar(device);
    }

    private static Tensor scalar(Device device) {
      return device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64);
    }

    @Override
    public void close() {
      lossSum.close();
      sumOfSquares.close();
      norm.close();
      clipCoefficient.close();
    }
  }

  /** The mesh of a configuration. */
  static Mesh mesh(io.hirundo.trainer.internal.config.MeshSection section) {
    var sizes = new java.util.LinkedHashMap<Axis, Integer>();
    section.order().forEach(axis -> sizes.put(axis, section.size(axis)));
    for (Axis axis : Axis.values()) {
      sizes.putIfAbsent(axis, section.size(axis));
    }
    return new Mesh(sizes);
  }
}
