package io.hirundo.lib.engine.model;

import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.engine.layer.FullSequenceAttention;
import io.hirundo.lib.engine.layer.ParameterStore;
import io.hirundo.lib.engine.layer.RankLayers;
import io.hirundo.lib.engine.layer.RankScope;
import io.hirundo.lib.engine.layout.StageOwners;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.layout.Stages;
import io.hirundo.lib.engine.layout.TokenSplit;
import io.hirundo.lib.engine.pipeline.ModelChunk;
import io.hirundo.lib.engine.pipeline.RankPipeline;
import io.hirundo.lib.engine.pipeline.StageSplit;
import io.hirundo.lib.engine.provider.LayerProviderChoice;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.parallel.Sharding;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.WeightSharers;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * One rank's blocks as built by one set of strategies: what a swap replaces. Does not own its parameters:
 * blocks are declared first, and then {@link #bind bound} to memory that may be older than they are.
 */
public final class RankBlocks implements AutoCloseable {
    private final Rank rank;
    private final PrecisionStrategy precision;
    private final Strategies.Parallel parallel;
    private final ModelSpec spec;
    private final TokenSplit tokenSplit;
    private final List<StageSplit.Blocks> stages;
    private final ParameterStore store;
    private final RankLayers layers;
    private final List<List<Block>> built;
    private final List<ModelChunk> chunks = new ArrayList<>();
    private RankWeights weights;
    private RankPipeline pipeline;

    /** Builds this rank's blocks, without memory for their parameters. */
    RankBlocks(
            Rank rank,
            PrecisionStrategy precision,
            Strategies.Parallel parallel,
            Architecture architecture,
            StageRequest request) {
        this.rank = rank;
        this.parallel = parallel;
        this.spec = architecture.describe();
        this.precision = precision.forModel(spec);
        this.tokenSplit = TokenSplit.of(parallel, rank.along(Axis.CONTEXT));
        this.stages = Stages.of(
                spec, request, parallel.schedule(), rank.along(Axis.PIPELINE).size());
        var owners = new StageOwners(spec, stages, parallel.schedule(), rank.along(Axis.PIPELINE));
        this.store = new ParameterStore(owners::withSharers);
        this.layers = new RankLayers(
                rank.device(),
                this.precision,
                store,
                attention(parallel, rank.along(Axis.CONTEXT)),
                sharers(rank.along(Axis.TENSOR)));
        try {
            this.built = build(architecture, factory(architecture));
        } catch (RuntimeException | Error failure) {
            layers.close();
            throw failure;
        }
    }

    private static BiFunction<Heads, AttentionOptions, AttentionCore> attention(
            Strategies.Parallel parallel, ProcessGroup context) {
        return context.size() == 1
                ? FullSequenceAttention::new
                : (heads, options) -> parallel.context().attention(context, heads, options);
    }

    private static WeightSharers sharers(ProcessGroup tensor) {
        return tensor.size() == 1
                ? WeightSharers.NONE
                : (queue, magnitudes) -> queue.await(
                        tensor.allReduce(queue, magnitudes, Reduction.MAX).event());
    }

    private LayerFactory factory(Architecture architecture) {
        Sharding sharding = parallel.sharding(rank.world().mesh());
        return new RankScope(
                layers,
                rank.queue(),
                activationType(),
                sharding,
                rank::along,
                LayerProviderChoice.of(parallel.tensor(), sharding, architecture));
    }

    /** The blocks of each of this rank's chunks. */
    private List<List<Block>> build(Architecture architecture, LayerFactory factory) {
        var all = new ArrayList<List<Block>>();
        for (int chunk = 0; chunk < parallel.schedule().chunks(); chunk++) {
            StageSplit.Blocks blocks = stages.get(stageOf(chunk));
            List<BlockSpec> specs = spec.blocks().subList(blocks.first(), blocks.end());
            all.add(specs.stream()
                    .<Block>map(block -> architecture.build(block, factory))
                    .toList());
        }
        return all;
    }

    /** The parameters of each block, in forward order. */
    List<List<ParameterSpec>> parameterSpecs() {
        return built.stream()
                .flatMap(List::stream)
                .map(block -> block.parameters().stream().map(Parameter::spec).toList())
                .toList();
    }

    /** Binds the blocks to their parameters; called once. */
    void bind(ShardedParameters parameters) {
        store.bind(parameters.parameters());
        weights = new RankWeights(
                rank, parameters, layers, built.stream().flatMap(List::stream).toList());
        int first = 0;
        for (int chunk = 0; chunk < built.size(); chunk++) {
            boolean endsModel = stageOf(chunk) == stages.size() - 1;
            chunks.add(new ModelChunk(first, built.get(chunk), endsModel, weights));
            first += built.get(chunk).size();
        }
        pipeline = new RankPipeline(
                new RankPipeline.Place(
                        rank.device(),
                        rank.queue(),
                        rank.along(Axis.PIPELINE),
                        chunks,
                        precision.activationType(),
                        precision.betweenStages(rank.device())),
                parallel.schedule());
    }

    private int stageOf(int chunk) {
        ProcessGroup group = rank.along(Axis.PIPELINE);
        var shape = new PipelineShape(group.size(), parallel.schedule().chunks(), 1);
        return parallel.schedule().stage(shape, group.rank(), chunk);
    }

    RankPipeline pipeline() {
        return pipeline;
    }

    public RankWeights weights() {
        return weights;
    }

    public RankLayers layers() {
        return layers;
    }

    /** State that the GEMMs keep between steps. */
    public RankGemmState memory() {
        return new RankGemmState(rank, layers.memory());
    }

    TokenSplit tokenSplit() {
        return tokenSplit;
    }

    public PrecisionStrategy precision() {
        return precision;
    }

    DType activationType() {
        return precision.activationType();
    }

    /** The only chunk of a rank that has all blocks. */
    public ModelChunk whole() {
        if (chunks.size() != 1
                || chunks.getFirst().blocks().size() != spec.blocks().size()) {
            throw new IllegalStateException("this rank has only a part of the model");
        }
        return chunks.getFirst();
    }

    /** Which rank has which blocks. */
    List<Stage> describeStages() {
        return Stages.describe(spec, stages, parallel.schedule(), rank.world().mesh());
    }

    /** Shape of stage-to-stage activations, for a microbatch of so many tokens on this context rank. */
    Shape transferShape(long tokens) {
        ProcessGroup tensor = rank.along(Axis.TENSOR);
        long rows = tensor.size() == 1 ? tokens : parallel.tensor().residualTokens(tokens, tensor.size());
        return Shape.of(rows, spec.hidden());
    }

    /** Frees what the layers prepared. The parameters stay. */
    @Override
    public void close() {
        layers.close();
    }
}
