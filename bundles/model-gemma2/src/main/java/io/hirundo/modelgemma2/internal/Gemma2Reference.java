package io.hirundo.modelgemma2.internal;

import io.hirundo.family.StoredValues;
import io.hirundo.kernel.attention.Heads;
import java.util.stream.IntStream;

/**
 * Double-precision reference of Gemma 2 (Gemma Team 2024, arXiv 2408.00118), for parity checks: plain loops over the stored tensors that
 * share no code with training. For a few tokens of one sequence; reads tensors in blocks of rows.
 */
final class Gemma2Reference {
    private static final long BLOCK_BYTES = 32L << 20;

    private final Gemma2Options options;
    private final Heads heads;
    private final StoredValues tensors;

    Gemma2Reference(Gemma2Options options, Heads heads, StoredValues tensors) {
        this.options = options;
        this.heads = heads;
        this.tensors = tensors;
    }

    /** Logits [T][V] of the T tokens of one sequence. */
    double[][] logits(int[] tokens) {
        double[][] x = new double[tokens.length][];
        for (int position = 0; position < tokens.length; position++) {
            x[position] = tensors.rows(Gemma2HuggingFace.EMBEDDING, tokens[position], 1);
            for (int channel = 0; channel < x[position].length; channel++) {
                x[position][channel] *= Math.sqrt(options.hiddenSize());
            }
        }
        for (int layer = 0; layer < options.numHiddenLayers(); layer++) {
            String name = "model.layers." + layer + ".";
            int window = layer % 2 == 0 ? options.slidingWindow() : Integer.MAX_VALUE;
            double[][] attended = attention(normalized(x, name + "input_layernorm"), name + "self_attn.", window);
            add(x, normalized(attended, name + "post_attention_layernorm"));
            double[][] inner = mlp(normalized(x, name + "pre_feedforward_layernorm"), name + "mlp.");
            add(x, normalized(inner, name + "post_feedforward_layernorm"));
        }
        String head = options.tieWordEmbeddings() ? Gemma2HuggingFace.EMBEDDING : Gemma2HuggingFace.HEAD;
        double[][] logits = product(normalized(x, "model.norm"), head, options.vocabSize());
        for (double[] row : logits) {
            for (int token = 0; token < row.length; token++) {
                row[token] = capped(row[token], options.finalLogitSoftcapping());
            }
        }
        return logits;
    }

    private static double capped(double value, double cap) {
        return cap == 0 ? value : cap * Math.tanh(value / cap);
    }

    private double[][] attention(double[][] x, String name, int window) {
        int dim = heads.dim();
        double[][] queries = product(x, name + "q_proj.weight", heads.query() * dim);
        double[][] keys = product(x, name + "k_proj.weight", heads.keyValue() * dim);
        double[][] values = product(x, name + "v_proj.weight", heads.keyValue() * dim);
        for (int position = 0; position < x.length; position++) {
            rotate(queries[position], position);
            rotate(keys[position], position);
        }
        double[][] mixed = new double[x.length][heads.query() * dim];
        for (int head = 0; head < heads.query(); head++) {
            int shared = head / (heads.query() / heads.keyValue()) * dim;
            for (int position = 0; position < x.length; position++) {
                int first = Math.max(0, position - window + 1);
                double[] weights = weights(queries[position], head * dim, keys, shared, first, position);
                for (int key = first; key <= position; key++) {
                    for (int channel = 0; channel < dim; channel++) {
                        mixed[position][head * dim + channel] += weights[key - first] * values[key][shared + channel];
                    }
                }
            }
        }
        return product(mixed, name + "o_proj.weight", options.hiddenSize());
    }

    /** Channel i of a head turns with channel i + D/2. */
    private void rotate(double[] rows, int position) {
        int half = heads.dim() / 2;
        for (int head = 0; head < rows.length; head += heads.dim()) {
            for (int pair = 0; pair < half; pair++) {
                double angle = position * Math.pow(options.ropeTheta(), -2.0 * pair / heads.dim());
                double one = rows[head + pair];
                double other = rows[head + half + pair];
                rows[head + pair] = one * Math.cos(angle) - other * Math.sin(angle);
                rows[head + half + pair] = other * Math.cos(angle) + one * Math.sin(angle);
            }
        }
    }

    /** Softmax over the keys that a query sees. */
    private double[] weights(double[] query, int from, double[][] keys, int shared, int first, int position) {
        double[] weights = new double[position - first + 1];
        double sum = 0;
        for (int key = first; key <= position; key++) {
            double score = 0;
            for (int channel = 0; channel < heads.dim(); channel++) {
                score += query[from + channel] * keys[key][shared + channel];
            }
            weights[key - first] =
                    capped(score / Math.sqrt(options.queryPreAttnScalar()), options.attnLogitSoftcapping());
        }
        double largest = IntStream.range(0, weights.length)
                .mapToDouble(key -> weights[key])
                .max()
                .orElseThrow();
        for (int key = 0; key < weights.length; key++) {
            weights[key] = Math.exp(weights[key] - largest);
            sum += weights[key];
        }
        for (int key = 0; key < weights.length; key++) {
            weights[key] /= sum;
        }
        return weights;
    }

    private double[][] mlp(double[][] x, String name) {
        double[][] gate = product(x, name + "gate_proj.weight", options.intermediateSize());
        double[][] up = product(x, name + "up_proj.weight", options.intermediateSize());
        for (int position = 0; position < x.length; position++) {
            for (int channel = 0; channel < gate[position].length; channel++) {
                double g = gate[position][channel];
                double gelu = g / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (g + 0.044715 * g * g * g)));
                gate[position][channel] = gelu * up[position][channel];
            }
        }
        return product(gate, name + "down_proj.weight", options.hiddenSize());
    }

    private double[][] normalized(double[][] x, String name) {
        double[] weight = tensors.rows(name + ".weight", 0, options.hiddenSize());
        double[][] result = new double[x.length][weight.length];
        for (int position = 0; position < x.length; position++) {
            double squares = 0;
            for (double value : x[position]) {
                squares += value * value;
            }
            double factor = 1 / Math.sqrt(squares / weight.length + options.rmsNormEps());
            for (int channel = 0; channel < weight.length; channel++) {
                result[position][channel] = x[position][channel] * factor * (1 + weight[channel]);
            }
        }
        return result;
    }

    private static void add(double[][] to, double[][] x) {
        for (int position = 0; position < to.length; position++) {
            for (int channel = 0; channel < to[position].length; channel++) {
                to[position][channel] += x[position][channel];
            }
        }
    }

    /** {@code x wᵀ} with a stored weight [outputs, inputs]. */
    private double[][] product(double[][] x, String name, int outputs) {
        int inputs = x[0].length;
        int blockRows = (int) Math.clamp(BLOCK_BYTES / Double.BYTES / inputs, 1, outputs);
        double[][] y = new double[x.length][outputs];
        for (int first = 0; first < outputs; first += blockRows) {
            int begin = first;
            int count = Math.min(blockRows, outputs - first);
            double[] block = tensors.rows(name, begin, count);
            IntStream.range(0, count).parallel().forEach(row -> {
                for (int position = 0; position < x.length; position++) {
                    double sum = 0;
                    for (int input = 0; input < inputs; input++) {
                        sum += x[position][input] * block[row * inputs + input];
                    }
                    y[position][begin + row] = sum;
                }
            });
        }
        return y;
    }
}
