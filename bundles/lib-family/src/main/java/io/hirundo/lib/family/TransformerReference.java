package io.hirundo.lib.family;

import io.hirundo.family.StoredValues;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Double-precision reference of decoders of the kind of Llama (Touvron et al. 2023, arXiv 2302.13971), for parity checks: RMSNorm, rotary
 * embedding, grouped-query attention, gated MLP with SiLU. Optional are biases, and norms on the heads of queries and keys (Qwen Team 2025,
 * arXiv 2505.09388), and {@link SandwichNorms}. Plain loops over the stored tensors that share no code with training. For a few tokens of one sequence; reads
 * tensors in blocks of rows.
 */
public final class TransformerReference {
    /** Which channels of a head the rotary embedding pairs. */
    public enum RotaryPairs {
        /**
         * Channel {@code i} of the first half with channel {@code i} of the second half, as the Transformers library stores heads.
         */
        HALVES,
        /** Channels {@code 2i} and {@code 2i + 1}, as Meta's code and torchtitan store heads. */
        ADJACENT
    }

    /**
     * Sizes of a model.
     *
     * @param vocabulary V
     * @param hidden C
     * @param intermediate F
     * @param layers transformer blocks
     * @param epsilon of the norms
     * @param tied whether the output projection is the embedding
     */
    public record Sizes(int vocabulary, int hidden, int intermediate, int layers, double epsilon, boolean tied) {}

    /**
     * Attention of a model.
     *
     * @param query heads of queries
     * @param keyValue heads of keys and of values
     * @param dim channels of a head
     * @param norms whether heads of queries and keys are normalized before the rotary embedding
     * @param window positions that a query sees, its own included (Jiang et al. 2023, arXiv 2310.06825); 0 for all earlier ones
     * @param firstWindow the first layer with the window
     */
    public record Heads(int query, int keyValue, int dim, boolean norms, int window, int firstWindow) {
        /** Without window. */
        public Heads(int query, int keyValue, int dim, boolean norms) {
            this(query, keyValue, dim, norms, 0, 0);
        }

        /** The first position that a query sees in a layer. */
        int first(int position, int layer) {
            return window == 0 || layer < firstWindow ? 0 : Math.max(0, position - window + 1);
        }
    }

    /**
     * How tensors are stored.
     *
     * @param name stored name of a tensor, from its name in the Transformers library
     * @param biased layers that have a bias, by the last segment of their names, {@code q_proj} for instance
     */
    public record Storage(UnaryOperator<String> name, RotaryPairs pairs, Set<String> biased) {}

    /**
     * What decoders with norms on both sides of each half of a block do otherwise (Gemma Team 2024, arXiv 2408.00118): embeddings are multiplied by
     * the root of C, norms by one more than their weight, the gate is a GELU, and even layers alone have the window.
     *
     * @param queryScalar scores are divided by its root
     * @param scoreCap soft cap of scores; 0 for none
     * @param logitCap soft cap of logits; 0 for none
     */
    public record SandwichNorms(double queryScalar, double scoreCap, double logitCap) {}

    private static final String EMBEDDING = "model.embed_tokens.weight";
    private static final long BLOCK_BYTES = 32L << 20;

    private final Sizes sizes;
    private final Heads heads;
    private final Storage storage;
    private final RotaryReference rotary;
    private final Optional<SandwichNorms> sandwich;
    private final StoredValues tensors;

    /** Reads {@code tensors} only during {@link #logits}. */
    public TransformerReference(Sizes sizes, Heads heads, Rope rope, Storage storage, StoredValues tensors) {
        this(sizes, heads, rope, storage, Optional.empty(), tensors);
    }

    /** As the other one; {@code sandwich}: empty for blocks with two norms. */
    public TransformerReference(
            Sizes sizes,
            Heads heads,
            Rope rope,
            Storage storage,
            Optional<SandwichNorms> sandwich,
            StoredValues tensors) {
        this.sizes = sizes;
        this.heads = heads;
        this.storage = storage;
        this.rotary = new RotaryReference(rope, heads.dim(), storage.pairs());
        this.sandwich = sandwich;
        this.tensors = tensors;
    }

    /** Logits [T][V] of the T tokens of one sequence. */
    public double[][] logits(int[] tokens) {
        double[][] x = IntStream.of(tokens)
                .mapToObj(token -> rows(EMBEDDING, token, 1))
                .toArray(double[][]::new);
        replace(x, value -> value * (sandwich.isPresent() ? Math.sqrt(sizes.hidden()) : 1));
        for (int layer = 0; layer < sizes.layers(); layer++) {
            String name = "model.layers." + layer;
            String afterAttention = name + ".post_attention_layernorm.weight";
            double[][] attended =
                    attention(normalized(x, name + ".input_layernorm.weight"), name + ".self_attn.", layer);
            if (sandwich.isEmpty()) {
                add(x, attended);
                add(x, mlp(normalized(x, afterAttention), name + ".mlp."));
            } else {
                add(x, normalized(attended, afterAttention));
                double[][] inner = mlp(normalized(x, name + ".pre_feedforward_layernorm.weight"), name + ".mlp.");
                add(x, normalized(inner, name + ".post_feedforward_layernorm.weight"));
            }
        }
        double[][] logits = product(
                normalized(x, "model.norm.weight"), sizes.tied() ? EMBEDDING : "lm_head.weight", sizes.vocabulary());
        replace(
                logits,
                value -> capped(value, sandwich.map(SandwichNorms::logitCap).orElse(0.0)));
        return logits;
    }

    private static void replace(double[][] x, DoubleUnaryOperator by) {
        for (double[] row : x) {
            Arrays.setAll(row, channel -> by.applyAsDouble(row[channel]));
        }
    }

    private static double capped(double value, double cap) {
        return cap == 0 ? value : cap * Math.tanh(value / cap);
    }

    private double[][] attention(double[][] x, String name, int layer) {
        int queryChannels = heads.query() * heads.dim();
        int keyChannels = heads.keyValue() * heads.dim();
        double[][] queries = projected(x, name, "q_proj", queryChannels);
        double[][] keys = projected(x, name, "k_proj", keyChannels);
        double[][] values = projected(x, name, "v_proj", keyChannels);
        if (heads.norms()) {
            normalizeHeads(queries, name + "q_norm.weight");
            normalizeHeads(keys, name + "k_norm.weight");
        }
        for (int position = 0; position < x.length; position++) {
            rotary.rotate(queries[position], position);
            rotary.rotate(keys[position], position);
        }
        boolean isWindowed = sandwich.isEmpty() || layer % 2 == 0;
        double[][] mixed = new double[x.length][queryChannels];
        for (int head = 0; head < heads.query(); head++) {
            int from = head * heads.dim();
            int shared = head / (heads.query() / heads.keyValue()) * heads.dim();
            for (int position = 0; position < x.length; position++) {
                int first = isWindowed ? heads.first(position, layer) : 0;
                double[] weights = weights(queries[position], from, keys, shared, first, position);
                for (int earlier = 0; earlier <= position; earlier++) {
                    for (int channel = 0; channel < heads.dim(); channel++) {
                        mixed[position][from + channel] += weights[earlier] * values[earlier][shared + channel];
                    }
                }
            }
        }
        return projected(mixed, name, "o_proj", sizes.hidden());
    }

    /** Normalizes each head of each row on its own, in place. */
    private void normalizeHeads(double[][] x, String name) {
        double[] scale = rows(name, 0, heads.dim());
        for (double[] row : x) {
            for (int from = 0; from < row.length; from += scale.length) {
                normalize(row, from, scale, row);
            }
        }
    }

    /** Softmax over this position and the earlier ones from {@code first} on; 0 for the others. */
    private double[] weights(double[] query, int from, double[][] keys, int shared, int first, int position) {
        int dim = heads.dim();
        double[] weights = new double[position + 1];
        double largest = Double.NEGATIVE_INFINITY;
        for (int earlier = first; earlier <= position; earlier++) {
            double score = 0;
            for (int channel = 0; channel < dim; channel++) {
                score += query[from + channel] * keys[earlier][shared + channel];
            }
            weights[earlier] = capped(
                    score / Math.sqrt(sandwich.map(SandwichNorms::queryScalar).orElse((double) dim)),
                    sandwich.map(SandwichNorms::scoreCap).orElse(0.0));
            largest = Math.max(largest, weights[earlier]);
        }
        double sum = 0;
        for (int earlier = first; earlier <= position; earlier++) {
            weights[earlier] = Math.exp(weights[earlier] - largest);
            sum += weights[earlier];
        }
        for (int earlier = first; earlier <= position; earlier++) {
            weights[earlier] /= sum;
        }
        return weights;
    }

    private double[][] mlp(double[][] x, String name) {
        double[][] gate = projected(x, name, "gate_proj", sizes.intermediate());
        double[][] up = projected(x, name, "up_proj", sizes.intermediate());
        for (int position = 0; position < x.length; position++) {
            for (int channel = 0; channel < gate[position].length; channel++) {
                double value = gate[position][channel];
                double activated = sandwich.isPresent()
                        ? value
                                / 2
                                * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (value + 0.044715 * value * value * value)))
                        : value / (1 + Math.exp(-value));
                gate[position][channel] = activated * up[position][channel];
            }
        }
        return projected(gate, name, "down_proj", sizes.hidden());
    }

    private double[][] normalized(double[][] x, String name) {
        double[] scale = rows(name, 0, sizes.hidden());
        double[][] result = new double[x.length][scale.length];
        for (int position = 0; position < x.length; position++) {
            normalize(x[position], 0, scale, result[position]);
        }
        return result;
    }

    private void normalize(double[] x, int from, double[] scale, double[] into) {
        double squares = 0;
        for (int channel = 0; channel < scale.length; channel++) {
            squares += x[from + channel] * x[from + channel];
        }
        double factor = 1 / Math.sqrt(squares / scale.length + sizes.epsilon());
        for (int channel = 0; channel < scale.length; channel++) {
            into[from + channel] = x[from + channel] * factor * (scale[channel] + (sandwich.isPresent() ? 1 : 0));
        }
    }

    private static void add(double[][] to, double[][] x) {
        for (int position = 0; position < to.length; position++) {
            for (int channel = 0; channel < to[position].length; channel++) {
                to[position][channel] += x[position][channel];
            }
        }
    }

    /** A linear layer, with its bias where it has one. */
    private double[][] projected(double[][] x, String prefix, String layer, int outputs) {
        double[][] y = product(x, prefix + layer + ".weight", outputs);
        if (storage.biased().contains(layer)) {
            double[] bias = rows(prefix + layer + ".bias", 0, outputs);
            for (double[] row : y) {
                for (int channel = 0; channel < outputs; channel++) {
                    row[channel] += bias[channel];
                }
            }
        }
        return y;
    }

    /** {@code x wᵀ} with a stored weight [outputs, inputs]. */
    private double[][] product(double[][] x, String name, int outputs) {
        int inputs = x[0].length;
        int blockRows = (int) Math.clamp(BLOCK_BYTES / Double.BYTES / inputs, 1, outputs);
        double[][] y = new double[x.length][outputs];
        for (int first = 0; first < outputs; first += blockRows) {
            int begin = first;
            int count = Math.min(blockRows, outputs - first);
            double[] block = rows(name, begin, count);
            IntStream.range(0, count).parallel().forEach(row -> {
                for (int position = 0; position < x.length; position++) {
                    y[position][begin + row] = dot(x[position], block, row * inputs);
                }
            });
        }
        return y;
    }

    private static double dot(double[] x, double[] block, int from) {
        double sum = 0;
        for (int index = 0; index < x.length; index++) {
            sum += x[index] * block[from + index];
        }
        return sum;
    }

    /** Rows of a matrix, or elements of a vector. */
    private double[] rows(String name, long first, int count) {
        return tensors.rows(storage.name().apply(name), first, count);
    }
}
