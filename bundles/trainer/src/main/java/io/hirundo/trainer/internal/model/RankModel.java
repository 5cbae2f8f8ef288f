package io.hirundo.trainer.internal.model;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.mesh.Axis;
import io.hirundo.model.Architecture;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.accounting.AccountedLedger;
import io.hirundo.trainer.internal.layout.TokenSplit;
import io.hirundo.trainer.internal.lifecycle.Leftovers;
import io.hirundo.trainer.internal.lifecycle.Opened;
import io.hirundo.trainer.internal.pipeline.RankPipeline;
import io.hirundo.trainer.internal.rank.MicrobatchContext;
import io.hirundo.trainer.internal.rank.Rank;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.tensors.ModelTensors;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One rank's part of a model, on its device: parameters, and the blocks that work on them, which can be replaced between two
 * steps. Belongs to the rank's thread. Weights are undefined until loaded or initialized; {@link #weightsChanged} must follow
 * every change of them.
 */
public final class RankModel implements AutoCloseable {
  private final Opened opened;
  private final Rank rank;
  private final ModelSpec spec;
  private final ShardedParameters parameters;
  private final DType parameterType;
  private final List<List<ParameterSpec>> parameterSpecs;
  private final Tensor lossSum;
  /** While there are no blocks. */
  private final GemmStateCopies kept;
  private RankBlocks blocks;

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
    this.parameterType = compute.precision().parameterType();
    this.kept = opened.add(new GemmStateCopies(rank), GemmStateCopies::close);
    try {
      this.spec = architecture.describe();
      this.blocks = new RankBlocks(rank, compute.precision(), parallel, architecture, stageLayers);
      // What the blocks prepare may refer to the parameters, which therefore close after them.
      opened.add(this, RankModel::closeBlocks);
      var group = rank.along(Axis.CONTEXT, Axis.DATA);
      this.parameterSpecs = blocks.parameterSpecs();
      this.parameters = parallel.data().bind(device(), group, parameterSpecs, parameterType);
      blocks.bind(parameters);
      followBlocks();
      this.lossSum =
          opened.add(device().allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64), Tensor::close);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  private void closeBlocks() {
    try {
      if (blocks != null) {
        blocks.close();
      }
    } finally {
      if (parameters != null) {
        parameters.close();
      }
    }
  }

  /**
   * Other blocks for the same parameters, which {@link #replaceBlocks} puts to use; until then the caller's to close.
   *
   * @throws ConfigurationException when they could not work on these parameters
   */
  public RankBlocks otherBlocks(
      PrecisionStrategy precision, Strategies.Parallel parallel, Architecture architecture, List<Integer> stageLayers) {
    if (precision.parameterType() != parameterType) {
      throw new ConfigurationException(
          "precision: its parameters are " + precision.parameterType() + ", and those of the run are " + parameterType
              + "; begin another run for that");
    }
    var others = new RankBlocks(rank, precision, parallel, architecture, stageLayers);
    try {
      if (!others.parameterSpecs().equals(parameterSpecs)) {
        throw new ConfigurationException(
            "mesh: rank " + rank.world().rank() + " would have other weights than now, and weights stay where they are; a"
                + " restart with --resume lays them out anew");
      }
      others.bind(parameters);
      return others;
    } catch (RuntimeException | Error failure) {
      others.close();
      throw failure;
    }
  }

  /**
   * What lets another strategy move the parameters from the next step on.
   *
   * @throws ConfigurationException when it would lay them out in another way
   */
  public Runnable otherMovement(DataParallel other) {
    return other
        .takeOver(parameters)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "mesh.dataParallel: it would lay the weights out in another way, and weights stay where they are; a restart"
                        + " with --resume lays them out anew"));
  }

  /** Goes on with others and closes the present ones, if there are any. */
  public void replaceBlocks(RankBlocks others) {
    endBlocks();
    kept.forget();
    blocks = others;
    followBlocks();
  }

  /** Works with others for a while; nothing is closed. */
  public void exchangeBlocks(RankBlocks others) {
    queue().drain();
    blocks = others;
    followBlocks();
  }

  /** Weights come as the present blocks read them. */
  private void followBlocks() {
    parameters.encode(blocks == null ? Map.of() : blocks.layers().codings());
  }

  /** Does work for which weights come as they are, because others read them beside the products of the present blocks. */
  public <T> T withWeightsAsTheyAre(Supplier<T> work) {
    parameters.encode(Map.of());
    try {
      return work.get();
    } finally {
      followBlocks();
    }
  }

  /**
   * Closes the blocks. Until {@link #replaceBlocks} there is nothing but the parameters, and copies of the {@link #memory}.
   *
   * @param precisionGoes whether their strategy may not answer any more; nobody goes on from what it remembered then
   */
  public void releaseBlocks(boolean precisionGoes) {
    if (blocks == null) {
      return;
    }
    if (precisionGoes) {
      kept.keepWhereItCan(blocks.precision().getClass().getName(), this::memory);
    } else {
      kept.keep(memory());
    }
    endBlocks();
  }

  private void endBlocks() {
    if (blocks != null) {
      // Work that is under way may still read what they prepared.
      queue().drain();
      RankBlocks released = blocks;
      blocks = null;
      followBlocks();
      Leftovers.close("what precision " + released.precision().getClass().getName() + " prepared", released::close);
    }
  }

  /** The present ones; null after {@link #releaseBlocks}. */
  public RankBlocks blocks() {
    return blocks;
  }

  /** What products remember from one step to the next, those of blocks that were released too. */
  public List<StateShard> memory() {
    return blocks == null ? kept.shards() : blocks.memory().shards();
  }

  public Rank rank() {
    return rank;
  }

  public Device device() {
    return rank.device();
  }

  public Queue queue() {
    return rank.queue();
  }

  public ModelSpec spec() {
    return spec;
  }

  public RankPipeline pipeline() {
    return blocks.pipeline();
  }

  /** Coordinates in the mesh, and the blocks of each chunk: {@code tensor 1 of 2, pipeline 0 of 2: embed_tokens to layers.3}. */
  public String describePlace() {
    return rank.describePlace() + ": " + describeStages().get(rank.coordinate(Axis.PIPELINE)).blocks();
  }

  /** Who has which blocks. */
  public List<Stage> describeStages() {
    return blocks.describeStages();
  }

  /** How this rank's linear layers are computed, in lines; none where the precision's name says all. */
  public List<String> describeProducts() {
    return blocks.layers().describeProducts();
  }

  /** Which tokens of a sequence are this rank's. */
  public TokenSplit tokenSplit() {
    return blocks.tokenSplit();
  }

  public List<Parameter> parameters() {
    return parameters.parameters();
  }

  /** The parameters as the ranks of the data axis share them. */
  public ShardedParameters sharded() {
    return parameters;
  }

  /** FP64 accumulator of one element. */
  public Tensor lossSum() {
    return lossSum;
  }

  public MicrobatchContext.RankDevice rankDevice() {
    return rank.withActivations(blocks.activationType());
  }

  public DType parameterType() {
    return parameterType;
  }

  /** Extents of what stages hand on, for a microbatch of so many tokens on this context rank. */
  public Shape messageShape(long tokens) {
    return blocks.messageShape(tokens);
  }

  /** The weights of {@link ShardedParameters#owned} have changed. */
  public void weightsChanged() {
    parameters.weightsChanged(queue());
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
