package io.hirundo.trainer.internal.run;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.layer.ParameterStore;
import io.hirundo.trainer.internal.layer.PlainLayerFactory;
import java.util.List;

/**
 * One rank's open device and model. Belongs to the rank's thread. Weights are undefined until loaded or initialized; {@link
 * #weightsChanged} must follow every change of them.
 */
public final class RankModel implements AutoCloseable {
  private final Device device;
  private final Queue queue;
  private final World world;
  private final PrecisionStrategy precision;
  private final ModelSpec spec;
  private final ParameterStore parameters = new ParameterStore();
  private final PlainLayerFactory layers;
  private final ModelStage stage;
  private final Tensor lossSum;
  private final Opened opened;

  /** Opens everything; on failure nothing stays open. */
  public static RankModel open(
      Strategies.Compute compute, Architecture architecture, Mesh mesh, DeviceLedger ledger) {
    if (compute.backend().devices().isEmpty()) {
      throw new ConfigurationException("device: this backend has no device on this machine; see 'hirundo doctor'");
    }
    var opened = new Opened();
    try {
      return new RankModel(compute, architecture, mesh, ledger, opened);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  private RankModel(
      Strategies.Compute compute, Architecture architecture, Mesh mesh, DeviceLedger ledger, Opened opened) {
    this.opened = opened;
    this.precision = compute.precision();
    int rank = onlyRank(compute, mesh);
    this.device = opened.add(compute.backend().open(0, ledger), Device::close);
    this.world = opened.add(compute.fabric().connect(rank, mesh, device), World::close);
    this.queue = opened.add(device.newQueue("compute"), Queue::close);
    // What the layers prepare may refer to the parameters, which therefore close after them.
    opened.add(parameters, ParameterStore::close);
    this.layers = opened.add(new PlainLayerFactory(device, queue, precision, parameters), PlainLayerFactory::close);
    this.spec = architecture.describe();
    this.stage =
        new ModelStage(spec.blocks().stream().<Block>map(block -> architecture.build(block, layers)).toList());
    parameters.allocateValues(device, precision.parameterType());
    this.lossSum =
        opened.add(device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64), Tensor::close);
  }

  /** A fabric may serve more ranks than this trainer runs: to train one of them alone would be something else. */
  private static int onlyRank(Strategies.Compute compute, Mesh mesh) {
    List<Integer> local = compute.fabric().localRanks(mesh);
    if (mesh.ranks() != 1 || local.size() != 1) {
      throw new ConfigurationException(
          "mesh: " + mesh.ranks() + " ranks, but this trainer runs one; set every axis of the mesh to 1");
    }
    return local.getFirst();
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

  public ModelSpec spec() {
    return spec;
  }

  ModelStage stage() {
    return stage;
  }

  List<Parameter> parameters() {
    return parameters.all();
  }

  /** FP64 accumulator of one element. */
  Tensor lossSum() {
    return lossSum;
  }

  RunStepContext.RankDevice rankDevice() {
    return new RunStepContext.RankDevice(device, queue, precision.activationType());
  }

  void allocateGradients() {
    parameters.allocateGradients(device, precision.parameterType());
  }

  void zeroGradients() {
    parameters.zeroGradients(device, queue);
  }

  /** Lets the precision strategy prepare the weights. */
  void weightsChanged() {
    layers.prepareWeights(queue);
  }

  public long parameterCount() {
    return parameters.all().stream().mapToLong(parameter -> parameter.spec().shape().elements()).sum();
  }

  @Override
  public void close() {
    opened.close();
  }
}
