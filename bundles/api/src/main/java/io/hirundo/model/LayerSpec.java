package io.hirundo.model;

import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.layer.AttentionLayer;
import io.hirundo.model.layer.BiasLayer;
import io.hirundo.model.layer.EmbeddingLayer;
import io.hirundo.model.layer.GatedMlpLayer;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.LossHeadLayer;
import io.hirundo.model.layer.LossTerm;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.parameter.Initialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A layer as a model declares it: an immutable record of any bundle. Sharding, memory plans, FLOP counts, checkpoints and exports follow from
 * what it declares; a {@code io.hirundo.parallel.LayerProvider} makes it run. Shape suffixes as in {@code io.hirundo.kernel.Kernels}.
 *
 * @param <L> the running layer
 */
@ConsumerType
public interface LayerSpec<L extends Layer> {
    /** Unique in the model. */
    String name();

    /** Tensors that it reads; empty if it reads only the microbatch. */
    List<Activation> inputs();

    /** Tensors that it makes; empty if it makes only the loss. */
    List<Activation> outputs();

    /** Further tensors that weights are applied to. */
    default List<Activation> internals() {
        return List.of();
    }

    /** Its tensors of the published model. Layers that name the same path share the tensor, as tied embeddings do. */
    default List<WeightSpec> weights() {
        return List.of();
    }

    /** The operands of its GEMMs; each weight of use {@code MATRIX} is in one of them. */
    default List<MatrixSpec> matrices() {
        return weights().stream()
                .filter(weight -> weight.use() == WeightSpec.Use.MATRIX)
                .map(MatrixSpec::of)
                .toList();
    }

    /** The element of a dimension that one of {@link #weights} belongs to. Empty: it belongs to all, and every rank has its shard of it. */
    default Optional<Member> member(WeightSpec weight) {
        return Optional.empty();
    }

    /** What it adds to the loss besides the loss of a {@link LossHead}, and what each term is computed from. */
    default Map<LossTerm, Activation> lossTerms() {
        return Map.of();
    }

    /** Dimensions that an element of an output is computed across, other than by sums with a weight. */
    default Set<Dim> mixes() {
        return Set.of();
    }

    /** FLOPs of forward and backward on all ranks, as Megatron-LM counts them: GEMMs and attention, without recomputation and elementwise work. */
    default double modelFlops(Tokens tokens) {
        return matrices().stream()
                .mapToDouble(matrix -> 6 * tokens.tokens() * matrix.inputs() * matrix.outputs())
                .sum();
    }

    /**
     * Token embedding.
     *
     * @param scale what rows of the table are multiplied by; Gemma multiplies by the square root of the channels
     */
    record Embedding(String path, long vocabulary, long hidden, Initialization initialization, double scale)
            implements LayerSpec<EmbeddingLayer> {
        public Embedding {
            LayerChecks.requirePositive(path, "scale", scale);
        }

        /** Of the rows as they are. */
        public Embedding(String path, long vocabulary, long hidden, Initialization initialization) {
            this(path, vocabulary, hidden, initialization, 1);
        }

        @Override
        public String name() {
            return path;
        }

        @Override
        public List<Activation> inputs() {
            return List.of();
        }

        @Override
        public List<Activation> outputs() {
            return List.of(Activation.residual(hidden));
        }

        @Override
        public List<WeightSpec> weights() {
            return List.of(table());
        }

        /** [V, C]. */
        public WeightSpec table() {
            return LayerWeights.of(this);
        }
    }

    /**
     * One matrix of a linear layer.
     *
     * @param path published name of the tensor
     * @param rows its outputs, the product of these dimensions
     */
    record LinearPart(String path, List<Dim> rows) {
        public LinearPart {
            rows = List.copyOf(rows);
        }
    }

    /**
     * A linear layer without bias; {@link Bias} adds one to its output. Several parts form one GEMM. Strategies split it as they split its dimensions: by outputs
     * (column-parallel in Megatron's terms) or by inputs (row-parallel).
     *
     * @param name unique in the model
     * @param parts output channels, part after part
     * @param input of one section, K channels
     * @param outputRows rows of the output
     */
    record Linear(
            String name, List<LinearPart> parts, Activation input, List<Dim> outputRows, Initialization initialization)
            implements LayerSpec<LinearLayer> {
        public Linear {
            parts = List.copyOf(parts);
            outputRows = List.copyOf(outputRows);
            LayerChecks.requireOneSection(name, "its input has", input);
        }

        /** From the residual stream into attention or MLP. */
        public static Linear fromResidual(
                String name, List<LinearPart> parts, long hidden, Initialization initialization) {
            return new Linear(name, parts, Activation.residual(hidden), Dims.ROWS, initialization);
        }

        /** From attention or MLP back into the residual stream. */
        public static Linear toResidual(
                String name, String path, List<Dim> inputs, long hidden, Initialization initialization) {
            var part = new LinearPart(path, List.of(Dims.hidden(hidden)));
            return new Linear(name, List.of(part), Activation.inside(inputs), Dims.RESIDUAL_ROWS, initialization);
        }

        /** All parts, stacked. */
        public MatrixSpec matrix() {
            return new MatrixSpec(parts.size() == 1 ? parts.getFirst().path() : name + ".weight", weights());
        }

        @Override
        public List<MatrixSpec> matrices() {
            return List.of(matrix());
        }

        /** The output, a section for each part. */
        public Activation output() {
            return new Activation(
                    outputRows, parts.stream().map(LinearPart::rows).toList());
        }

        @Override
        public List<Activation> inputs() {
            return List.of(input);
        }

        @Override
        public List<Activation> outputs() {
            return List.of(output());
        }

        @Override
        public List<WeightSpec> weights() {
            return parts.stream().map(part -> LayerWeights.of(this, part)).toList();
        }
    }

    /**
     * The bias of a linear layer: a vector for each section of its output, added to all rows. Its placement is that of the activation:
     * after a column-parallel layer each rank has the elements of its own channels; on the residual stream each rank has all of them, and
     * adds them after the reduction.
     *
     * @param name unique in the model
     * @param paths published name of each section's vector
     * @param on what it is added to
     */
    record Bias(String name, List<String> paths, Activation on) implements LayerSpec<BiasLayer> {
        public Bias {
            paths = List.copyOf(paths);
            LayerChecks.requireOneForEach(name, paths, on);
        }

        /** Of a single section, named after its vector. */
        public Bias(String path, Activation on) {
            this(path, List.of(path), on);
        }

        @Override
        public List<Activation> inputs() {
            return List.of(on);
        }

        @Override
        public List<Activation> outputs() {
            return List.of(on);
        }

        /** The vector of each section. */
        @Override
        public List<WeightSpec> weights() {
            return IntStream.range(0, paths.size())
                    .mapToObj(section -> LayerWeights.of(this, section))
                    .toList();
        }
    }

    /**
     * RMSNorm over the innermost dimension of each section: over the channels of the residual stream, or over those of each head. The
     * running layer gets these as rows, [tokens, C] or [tokens times heads, D].
     *
     * @param on what it normalizes, of one section; the output has the same dimensions
     * @param weightOffset what is added to the weight; Gemma scales by {@code 1 + weight}. A new model begins with a scale of 1
     */
    record Norm(String path, Activation on, double epsilon, double weightOffset) implements LayerSpec<NormLayer> {
        /** Scales by the weight. */
        public Norm(String path, Activation on, double epsilon) {
            this(path, on, epsilon, 0);
        }

        public Norm {
            LayerChecks.requireOneSection(path, "it normalizes", on);
            LayerChecks.requireFinite(path, "weightOffset", weightOffset);
        }

        @Override
        public String name() {
            return path;
        }

        /** The dimension that is normalized. */
        public Dim channels() {
            return on.sections().getFirst().getLast();
        }

        @Override
        public List<Activation> inputs() {
            return List.of(on);
        }

        @Override
        public List<Activation> outputs() {
            return List.of(on);
        }

        @Override
        public List<WeightSpec> weights() {
            return List.of(weight());
        }

        /** The scale of each channel. */
        public WeightSpec weight() {
            return LayerWeights.of(this);
        }

        @Override
        public Set<Dim> mixes() {
            return Set.of(channels());
        }
    }

    /**
     * Causal grouped-query attention with rotary embedding, from the fused QKV row to the output of all heads.
     *
     * @param inverseFrequencies rotation in radians per position, for each pair of channels: D/2 entries
     * @param maximumPositions exclusive upper bound of position ids
     * @param options window, soft cap and scale
     */
    record Attention(
            String name, Heads heads, List<Double> inverseFrequencies, int maximumPositions, AttentionOptions options)
            implements LayerSpec<AttentionLayer> {
        /** Without options. */
        public Attention(String name, Heads heads, List<Double> inverseFrequencies, int maximumPositions) {
            this(name, heads, inverseFrequencies, maximumPositions, AttentionOptions.NONE);
        }

        public Attention {
            inverseFrequencies = List.copyOf(inverseFrequencies);
        }

        /** (H, D). */
        public List<Dim> query() {
            return List.of(Dims.queryHeads(heads.query()), Dims.head(heads.dim()));
        }

        /** (G, D). */
        public List<Dim> keyValue() {
            return List.of(
                    Dims.keyValueHeads(heads.keyValue(), Dims.queryHeads(heads.query())), Dims.head(heads.dim()));
        }

        @Override
        public List<Activation> inputs() {
            return List.of(Activation.inside(query(), keyValue(), keyValue()));
        }

        @Override
        public List<Activation> outputs() {
            return List.of(Activation.inside(query()));
        }

        @Override
        public Set<Dim> mixes() {
            return Set.of(Dims.POSITIONS, Dims.head(heads.dim()));
        }

        /** Two GEMMs forward, four backward, of two FLOPs per pair and channel. */
        @Override
        public double modelFlops(Tokens tokens) {
            return 12 * tokens.within(options.window()).attendedPairs() * heads.outputChannels();
        }
    }

    /** The activation of the gate times up, from the fused gate-up row to its output. */
    record GatedMlp(String name, long inner, GateActivation activation) implements LayerSpec<GatedMlpLayer> {
        /** SwiGLU. */
        public GatedMlp(String name, long inner) {
            this(name, inner, GateActivation.SILU);
        }

        private List<Dim> channels() {
            return List.of(Dims.inner(inner));
        }

        @Override
        public List<Activation> inputs() {
            return List.of(Activation.inside(channels(), channels()));
        }

        @Override
        public List<Activation> outputs() {
            return List.of(Activation.inside(channels()));
        }
    }

    /**
     * The output projection to the vocabulary, with the loss.
     *
     * @param path of the matrix; the embedding's if weights are tied
     * @param softCap logits x become {@code softCap tanh(x / softCap)}, for the loss and for generation; empty for none
     */
    record LossHead(String path, long vocabulary, long hidden, Initialization initialization, OptionalDouble softCap)
            implements LayerSpec<LossHeadLayer> {
        public LossHead {
            softCap.ifPresent(cap -> LayerChecks.requirePositive(path, "softCap", cap));
        }

        /** Without soft cap. */
        public LossHead(String path, long vocabulary, long hidden, Initialization initialization) {
            this(path, vocabulary, hidden, initialization, OptionalDouble.empty());
        }

        @Override
        public String name() {
            return path;
        }

        @Override
        public List<Activation> inputs() {
            return List.of(Activation.residual(hidden));
        }

        @Override
        public List<Activation> outputs() {
            return List.of();
        }

        /** The logits. */
        @Override
        public List<Activation> internals() {
            return List.of(Activation.inside(List.of(Dims.vocabulary(vocabulary))));
        }

        @Override
        public List<WeightSpec> weights() {
            return List.of(LayerWeights.of(this));
        }

        /** [V, C]. */
        public MatrixSpec projection() {
            return matrices().getFirst();
        }
    }
}
