package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.kernel.Heads;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.layer.ParameterStore;
import io.hirundo.trainer.internal.layer.PlainLayerFactory;
import io.hirundo.trainer.internal.layer.RankLayers;
import io.hirundo.trainer.internal.layer.WholeAttention;
import io.hirundo.trainer.internal.pipeline.ModelChunk;
import io.hirundo.trainer.internal.pipeline.RankPipeline;
import io.hirundo.trainer.internal.pipeline.StageSplit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One rank's part of a model, on its device. Belongs to the rank's thread. Weights are undefined until loaded or initialized;
 * {@link #weightsChanged} must follow every change of them.
 */
public final class RankModel implements AutoCloseable {
  private final Opened opened;
  private final Rank rank;
  private final PrecisionStrategy precision;
  private final Strategies.Parallel parallel;
  private final ModelSpec spec;
  private final List<ModelChunk> chunks = new ArrayList<>();
  private final RankPipeline pipeline;
  private final RankWeights weights;
  private final TokenSplit tokenSplit;
  private final List<StageSplit.Blocks> stages;
  private final Tensor lossSum;

  /** Builds the part that is this rank's; on failure nothing stays open. The rank stays the caller's. */
  public static RankModel open(
      Rank rank,
      Strategies.Compute compute,
      Strategies.Parallel parallel,
      Architecture architecture,
      List<Integer> stageLayers) {
    return new RankModel(new Opened(), rank, compute, parallel, architecture, stageLayers);
  }

  /** Opens a whole model on a device of its own, which closes with it. */
  public static RankModel openAlone(
      Strategies.Compute compute, Strategies.Parallel parallel, Architecture architecture) {
    var opened = new Opened();
    var ledger = AccountedLedger.of(compute.backend());
    Rank rank = opened.add(Rank.alone(compute.backend(), parallel.fabric(), ledger), Rank::close);
    return new RankModel(opened, rank, compute, parallel, architecture, List.of());
  }

  private RankModel(
      Opened opened,
      Rank rank,
      Strategies.Compute compute,
      Strategies.Parallel parallel,
      Architecture architecture,
      List<Integer> stageLayers) {
    this.opened = opened;
    this.rank = rank;
    this.precision = compute.precision();
    this.parallel = parallel;
    try {
      this.spec = architecture.describe();
      this.tokenSplit = TokenSplit.of(parallel, rank.along(Axis.CONTEXT));
      this.stages = stages(stageLayers);
      var owners = new StageOwners(spec, stages, parallel.schedule(), rank.along(Axis.PIPELINE));
      var store = new ParameterStore(owners::withSharers);
      var layers =
          new RankLayers(device(), queue(), precision, store, attention(parallel, rank.along(Axis.CONTEXT)));
      List<List<Block>> built = build(architecture, factory(layers));
      List<List<ParameterSpec>> specs =
          built.stream().flatMap(List::stream).map(block -> block.parameters().stream().map(Parameter::spec).toList()).toList();
      // What the layers prepare may refer to the parameters, which therefore close after them.
      ShardedParameters parameters =
          opened.add(
              parallel.data().bind(device(), rank.along(Axis.CONTEXT, Axis.DATA), specs, precision.parameterType()),
              ShardedParameters::close);
      opened.add(layers, RankLayers::close);
      store.bind(parameters.parameters());
      this.weights = new RankWeights(rank, parameters, layers, built.stream().flatMap(List::stream).toList());
      chunk(built);
      this.pipeline =
          new RankPipeline(
              new RankPipeline.Place(
                  device(), queue(), rank.along(Axis.PIPELINE), chunks, precision.activationType()),
              parallel.schedule());
      this.lossSum =
          opened.add(device().allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64), Tensor::close);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  private static Function<Heads, AttentionCore> attention(
      Strategies.Parallel parallel, ProcessGroup context) {
    return context.size() == 1 ? WholeAttention::new : heads -> parallel.context().attention(context, heads);
  }

  private LayerFactory factory(RankLayers layers) {
    ProcessGroup tensor = rank.along(Axis.TENSOR);
    return tensor.size() == 1 ? new PlainLayerFactory(layers) : parallel.tensor().layers(layers, tensor);
  }

  private List<StageSplit.Blocks> stages(List<Integer> stageLayers) {
    return Stages.of(spec, stageLayers, parallel.schedule(), rank.along(Axis.PIPELINE).size());
  }

  /** The blocks of each of this rank's chunks. */
  private List<List<Block>> build(Architecture architecture, LayerFactory factory) {
    var built = new ArrayList<List<Block>>();
    for (int chunk = 0; chunk < parallel.schedule().chunks(); chunk++) {
      StageSplit.Blocks blocks = stages.get(stageOf(chunk));
      List<BlockSpec> specs = spec.blocks().subList(blocks.first(), blocks.end());
      built.add(specs.stream().<Block>map(block -> architecture.build(block, factory)).toList());
    }
    return built;
  }

  private void chunk(List<List<Block>> built) {
    int first = 0;
    for (int chunk = 0; chunk < built.size(); chunk++) {
      boolean endsModel = stageOf(chunk) == stages.size() - 1;
      chunks.add(new ModelChunk(first, built.get(chunk), endsModel, weights));
      first += built.get(chunk).size();
    }
  }

  private int stageOf(int chunk) {
    ProcessGroup group = rank.along(Axis.PIPELINE);
    PipelineSchedule schedule = parallel.schedule();
    return schedule.stage(new PipelineShape(group.size(), schedule.chunks(), 1), group.rank(), chunk);
  }

  Rank rank() {
    return rank;
  }

  Device device() {
    return rank.device();
  }

  Queue queue() {
    return rank.queue();
  }

  public ModelSpec spec() {
    return spec;
  }

  RankPipeline pipeline() {
    return pipeline;
  }

  /** The chunk of a rank that has the whole model. */
  ModelChunk whole() {
    if (chunks.size() != 1 || chunks.getFirst().blocks().size() != spec.blocks().size()) {
      throw new IllegalStateException("this rank has a part of the model only");
    }
    return chunks.getFirst();
  }

  RankWeights weights() {
    return weights;
  }

  /** Coordinates in the mesh, and the blocks of each chunk: {@code tensor 1 of 2, pipeline 0 of 2: embed_tokens to layers.3}. */
  String describePlace() {
    String coordinates =
        rank.world().mesh().sizes().entrySet().stream()
            .filter(axis -> axis.getValue() > 1)
            .map(axis -> axis.getKey().name().toLowerCase(Locale.ROOT) + " " + rank.coordinate(axis.getKey()) + " of " + axis.getValue())
            .collect(Collectors.joining(", "));
    String blocks = describeStages().get(rank.coordinate(Axis.PIPELINE)).blocks();
    return (coordinates.isEmpty() ? "the only rank" : coordinates) + ": " + blocks;
  }

  /** Who has which blocks. */
  List<Stage> describeStages() {
    return Stages.describe(spec, stages, parallel.schedule(), rank.world().mesh());
  }

  /** Which tokens of a sequence are this rank's. */
  TokenSplit tokenSplit() {
    return tokenSplit;
  }

  List<Parameter> parameters() {
    return weights.parameters().parameters();
  }

  /** FP64 accumulator of one element. */
  Tensor lossSum() {
    return lossSum;
  }

  RunStepContext.RankDevice rankDevice() {
    return rank.withActivations(precision.activationType());
  }

  DType parameterType() {
    return precision.parameterType();
  }

  /** Extents of what stages hand on, for a microbatch of so many tokens on this context rank. */
  Shape messageShape(long tokens) {
    ProcessGroup tensor = rank.along(Axis.TENSOR);
    long rows = tensor.size() == 1 ? tokens : parallel.tensor().residualTokens(tokens, tensor.size());
    return Shape.of(rows, spec.hidden());
  }

  /** The weights of {@link ShardedParameters#owned} have changed. */
  void weightsChanged() {
    weights.changed();
  }

  /** Of the whole model. */
  public long parameterCount() {
    return ModelTensors.parameters(spec);
  }

  @Override
  public void close() {
    opened.close();
  }
}
