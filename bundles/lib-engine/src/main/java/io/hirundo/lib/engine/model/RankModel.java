package io.hirundo.lib.engine.model;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.layout.TokenSplit;
import io.hirundo.lib.engine.lifecycle.Leftovers;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.pipeline.RankPipeline;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.mesh.Axis;
import io.hirundo.model.Architecture;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One rank's part of a model, on its device: parameters, and the blocks that use them, which can be replaced between two
 * steps. Confined to the rank's thread. Weights are undefined until loaded or initialized; call {@link #weightsChanged} after
 * every change of them.
 */
public final class RankModel implements AutoCloseable {
    private final Opened opened;
    private final Rank rank;
    private final ModelSpec spec;
    private final RankParameters parameters;
    private final Tensor lossSum;
    /** Of blocks that are closed. */
    private final GemmStateCopies kept;

    /** Empty while a bundle that they need is away. */
    private Optional<RankBlocks> blocks;

    /** Builds this rank's part, without an optimizer; on failure everything is closed. The caller keeps ownership of the rank. */
    public static RankModel open(
            Rank rank,
            Strategies.Compute compute,
            Strategies.Parallel parallel,
            Architecture architecture,
            StageRequest stages) {
        return open(rank, compute, parallel, architecture, stages, parameter -> Ownership.ELEMENTS);
    }

    /** The same, for an optimizer. {@code ownership}: what it needs of each parameter. */
    public static RankModel open(
            Rank rank,
            Strategies.Compute compute,
            Strategies.Parallel parallel,
            Architecture architecture,
            StageRequest stages,
            Function<ParameterSpec, Ownership> ownership) {
        return new RankModel(new Opened(), rank, compute, parallel, architecture, stages, ownership);
    }

    /** Opens a complete model on a new device, which closes with the model. */
    public static RankModel openAlone(
            Strategies.Compute compute, Strategies.Parallel parallel, Architecture architecture) {
        var opened = new Opened();
        var ledger = AccountedLedger.of(compute.backend());
        Rank rank = opened.add(Rank.alone(compute.backend(), parallel.fabric(), ledger), Rank::close);
        return new RankModel(
                opened, rank, compute, parallel, architecture, StageRequest.ONE_STAGE, parameter -> Ownership.ELEMENTS);
    }

    private RankModel(
            Opened opened,
            Rank rank,
            Strategies.Compute compute,
            Strategies.Parallel parallel,
            Architecture architecture,
            StageRequest stages,
            Function<ParameterSpec, Ownership> ownership) {
        this.opened = opened;
        this.rank = rank;
        this.kept = opened.add(new GemmStateCopies(rank), GemmStateCopies::close);
        try {
            this.spec = architecture.describe();
            var first = new RankBlocks(rank, compute.precision(), parallel, architecture, stages);
            this.blocks = Optional.of(first);
            // Blocks may refer to the parameters, so these close after them.
            opened.add(this, RankModel::closeBlocks);
            this.parameters =
                    RankParameters.open(rank, parallel.data(), compute.precision(), first.parameterSpecs(), ownership);
            first.bind(parameters.sharded());
            parameters.follow(blocks);
            this.lossSum =
                    opened.add(device().allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64), Tensor::close);
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    private void closeBlocks() {
        try {
            blocks.ifPresent(RankBlocks::close);
        } finally {
            if (parameters != null) {
                parameters.close();
            }
        }
    }

    /**
     * Builds other blocks for the same parameters. The caller closes them unless it calls {@link #replaceBlocks}.
     *
     * @throws ConfigurationException when they cannot use these parameters
     */
    public RankBlocks otherBlocks(
            PrecisionStrategy precision, Strategies.Parallel parallel, Architecture architecture, StageRequest stages) {
        return otherBlocks(precision, parallel, architecture, stages, parameters.sharded());
    }

    /** The same, for parameters that are going to take the place of the current ones. */
    public RankBlocks otherBlocks(
            PrecisionStrategy precision,
            Strategies.Parallel parallel,
            Architecture architecture,
            StageRequest stages,
            ShardedParameters bound) {
        parameters.requireUsableBy(precision, parallel.data());
        var others = new RankBlocks(rank, precision, parallel, architecture, stages);
        try {
            if (!others.parameterSpecs().equals(parameterSpecs())) {
                throw new ConfigurationException("mesh: rank " + rank.world().rank()
                        + " would hold other weights, and a swap does not move weights; a"
                        + " restart with --resume reshards them");
            }
            others.bind(bound);
            return others;
        } catch (RuntimeException | Error failure) {
            others.close();
            throw failure;
        }
    }

    /**
     * Allocates parameters and gradients that another data-parallel strategy shards in its own way, without values. The caller closes them
     * unless it calls {@link #replaceParameters}.
     *
     * @param ownership what the optimizer needs of each parameter
     * @throws ConfigurationException if the current strategy cannot move its parameters
     */
    public ShardedParameters otherSharding(DataParallel other, Function<ParameterSpec, Ownership> ownership) {
        return parameters.other(other, blocks(), ownership);
    }

    /** What the optimizer needs of a parameter that the current parameters were sharded for. */
    public Ownership ownership(ParameterSpec parameter) {
        return parameters.ownership(parameter);
    }

    /**
     * Moves the weights to other owners, and switches to them and their blocks. Collective.
     *
     * @param itsOwnership what the others were sharded for
     */
    public void replaceParameters(
            ShardedParameters others, RankBlocks itsBlocks, Function<ParameterSpec, Ownership> itsOwnership) {
        OwnedRuns.move(this, parameterType(), 1, Parameter::value, others.owned(), Parameter::value);
        endBlocks();
        ShardedParameters released = parameters.replace(others, itsOwnership);
        kept.forget();
        blocks = Optional.of(itsBlocks);
        released.close();
        parameters.follow(blocks);
        weightsChanged();
    }

    /** Switches to other blocks and closes the current ones, if there are any. */
    public void replaceBlocks(RankBlocks others) {
        endBlocks();
        kept.forget();
        blocks = Optional.of(others);
        parameters.follow(blocks);
    }

    /** Switches to other blocks, or to none, temporarily; nothing is closed. */
    public void exchangeBlocks(Optional<RankBlocks> others) {
        queue().drain();
        blocks = others;
        parameters.follow(blocks);
    }

    /** From now on weights are gathered unquantized, for work that reads them outside the current blocks' GEMMs. */
    public void gatherUnquantizedWeights() {
        parameters.follow(Optional.empty());
    }

    /** Ends {@link #gatherUnquantizedWeights}. */
    public void gatherWeightsForBlocks() {
        parameters.follow(blocks);
    }

    /**
     * Closes the blocks. Until {@link #replaceBlocks} only the parameters and copies of the {@link #memory} are left.
     *
     * @param precisionGoes whether the bundle of their precision is gone; its GEMM state is then not used again
     */
    public void releaseBlocks(boolean precisionGoes) {
        blocks.ifPresent(released -> {
            if (precisionGoes) {
                kept.keepWhereItCan(released.precision().getClass().getName(), this::memory);
            } else {
                kept.keep(memory());
            }
            endBlocks();
        });
    }

    private void endBlocks() {
        blocks.ifPresent(released -> {
            // Queued work may still read what they prepared.
            queue().drain();
            blocks = Optional.empty();
            parameters.follow(blocks);
            Leftovers.close(
                    "layers of precision " + released.precision().getClass().getName(), released::close);
        });
    }

    /** The current blocks. Must not be called after {@link #releaseBlocks}. */
    public RankBlocks blocks() {
        return blocks.orElseThrow(() -> new IllegalStateException("the rank has no blocks: a bundle is away"));
    }

    /** Empty after {@link #releaseBlocks}. */
    public Optional<RankBlocks> blocksIfPresent() {
        return blocks;
    }

    /** GEMM state, also that of released blocks. */
    public List<StateShard> memory() {
        return blocks.map(current -> current.memory().shards()).orElseGet(kept::shards);
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
        return blocks().pipeline();
    }

    /** Coordinates in the mesh, and the blocks of each chunk: {@code tensor 1 of 2, pipeline 0 of 2: embed_tokens to layers.3}. */
    public String describePlace() {
        return rank.describePlace() + ": "
                + describeStages().get(rank.coordinate(Axis.PIPELINE)).blocks();
    }

    /** Which rank has which blocks. */
    public List<Stage> describeStages() {
        return blocks().describeStages();
    }

    /** The GEMM precision summary of this rank; empty where the precision's name is the summary. */
    public List<String> describeGemms() {
        return blocks().layers().describeGemms();
    }

    /** This rank's tokens of a sequence. */
    public TokenSplit tokenSplit() {
        return blocks().tokenSplit();
    }

    /** The parameters of each of this rank's blocks, in forward order. */
    public List<List<ParameterSpec>> parameterSpecs() {
        return parameters.specs();
    }

    public List<Parameter> parameters() {
        return parameters.sharded().parameters();
    }

    /** The parameters as sharded over the data axis. */
    public ShardedParameters sharded() {
        return parameters.sharded();
    }

    /** FP64 accumulator of one element. */
    public Tensor lossSum() {
        return lossSum;
    }

    public MicrobatchContext.RankDevice rankDevice() {
        return rank.withActivations(blocks().activationType());
    }

    public DType parameterType() {
        return parameters.type();
    }

    /** Shape of stage-to-stage activations, for a microbatch of so many tokens on this context rank. */
    public Shape transferShape(long tokens) {
        return blocks().transferShape(tokens);
    }

    /** To be called after a change of the weights of {@link ShardedParameters#owned}. */
    public void weightsChanged() {
        parameters.sharded().weightsChanged(queue());
    }

    /** Parameters of the complete model. */
    public long parameterCount() {
        return ModelTensors.parameters(spec);
    }

    @Override
    public void close() {
        opened.close();
    }
}
