package io.hirundo.lib.golden;

import java.util.Arrays;
import java.util.Map;

/**
 * Llama (Touvron et al. 2023, arXiv 2302.13971), Mistral, Qwen 2 and 3 (arXiv 2407.10671, 2505.09388) and Gemma 2 (Gemma Team 2024,
 * arXiv 2408.00118) in double precision: plain loops that share no code with Hirundo's families, their references, or the Transformers
 * library, which agrees within 1e-12. Position after position, with the keys and values of earlier ones.
 */
public final class PlainDecoder {
    private final DecoderSettings settings;
    private final Map<String, GoldenTensor> weights;

    /**
     * Reads {@code weights} when it computes, so that a caller may change them.
     *
     * @param config the content of a {@code config.json}
     * @param weights by published name
     */
    public PlainDecoder(Map<String, Object> config, Map<String, GoldenTensor> weights) {
        this.settings = DecoderSettings.of(config);
        this.weights = weights;
    }

    /** Logits after each token of one sequence, [T][V]. */
    public double[][] logits(int[] tokens) {
        var earlier = new Earlier(settings.layers(), tokens.length);
        double[][] logits = new double[tokens.length][];
        for (int position = 0; position < tokens.length; position++) {
            logits[position] = logits(tokens[position], position, earlier);
        }
        return logits;
    }

    /** Keys and values of positions so far, [layers][positions][shared heads * head dimension]. */
    private record Earlier(double[][][] keys, double[][][] values) {
        Earlier(int layers, int positions) {
            this(new double[layers][positions][], new double[layers][positions][]);
        }
    }

    private double[] logits(int token, int position, Earlier earlier) {
        double[] x = embedding(token);
        for (int layer = 0; layer < settings.layers(); layer++) {
            String name = "model.layers." + layer + ".";
            double[] attended = attention(layer, position, norm(x, name + "input_layernorm"), earlier);
            add(x, settings.isGemma() ? norm(attended, name + "post_attention_layernorm") : attended);
            double[] mlp = mlp(
                    norm(x, name + (settings.isGemma() ? "pre_feedforward_layernorm" : "post_attention_layernorm")),
                    name + "mlp.");
            add(x, settings.isGemma() ? norm(mlp, name + "post_feedforward_layernorm") : mlp);
        }
        String head = weights.containsKey("lm_head.weight") ? "lm_head" : "model.embed_tokens";
        return capped(linear(norm(x, "model.norm"), head), settings.logitCap());
    }

    /**
     * The mean cross-entropy of all next tokens.
     *
     * @param sequences [B][T + 1]
     */
    public double loss(int[][] sequences) {
        double sum = 0;
        long count = 0;
        for (int[] sequence : sequences) {
            double[][] logits = logits(Arrays.copyOf(sequence, sequence.length - 1));
            for (int position = 0; position < logits.length; position++) {
                sum += logSumExp(logits[position]) - logits[position][sequence[position + 1]];
                count++;
            }
        }
        return sum / count;
    }

    /** The {@code count} tokens that follow if the token with the largest logit is taken each time. */
    public int[] greedy(int[] prompt, int count) {
        int[] tokens = Arrays.copyOf(prompt, prompt.length + count);
        var earlier = new Earlier(settings.layers(), tokens.length);
        for (int position = 0; position < tokens.length - 1; position++) {
            double[] logits = logits(tokens[position], position, earlier);
            if (position + 1 >= prompt.length) {
                tokens[position + 1] = largest(logits);
            }
        }
        return Arrays.copyOfRange(tokens, prompt.length, tokens.length);
    }

    private static int largest(double[] x) {
        int best = 0;
        for (int index = 1; index < x.length; index++) {
            best = x[index] > x[best] ? index : best;
        }
        return best;
    }

    private double[] embedding(int token) {
        GoldenTensor table = weights.get("model.embed_tokens.weight");
        int size = Math.toIntExact(table.shape().dim(1));
        double[] row = Arrays.copyOfRange(table.values(), token * size, (token + 1) * size);
        for (int channel = 0; channel < size; channel++) {
            row[channel] *= settings.isGemma() ? Math.sqrt(size) : 1;
        }
        return row;
    }

    private double[] attention(int layer, int position, double[] x, Earlier kept) {
        String name = "model.layers." + layer + ".self_attn.";
        double[] queries = rotated(linear(x, name + "q_proj"), name + "q_norm", position);
        double[][] keys = kept.keys()[layer];
        double[][] values = kept.values()[layer];
        keys[position] = rotated(linear(x, name + "k_proj"), name + "k_norm", position);
        values[position] = linear(x, name + "v_proj");
        int dim = settings.headDim();
        int first = Math.max(0, position - settings.windows()[layer] + 1);
        double[] mixed = new double[queries.length];
        for (int head = 0; head < settings.heads(); head++) {
            int shared = head * settings.sharedHeads() / settings.heads();
            double[] scores = new double[position - first + 1];
            for (int earlier = first; earlier <= position; earlier++) {
                for (int channel = 0; channel < dim; channel++) {
                    scores[earlier - first] +=
                            settings.scale() * queries[head * dim + channel] * keys[earlier][shared * dim + channel];
                }
            }
            capped(scores, settings.scoreCap());
            double normalizer = logSumExp(scores);
            for (int earlier = first; earlier <= position; earlier++) {
                double weight = Math.exp(scores[earlier - first] - normalizer);
                for (int channel = 0; channel < dim; channel++) {
                    mixed[head * dim + channel] += weight * values[earlier][shared * dim + channel];
                }
            }
        }
        return linear(mixed, name + "o_proj");
    }

    /** Heads, normalized if there is a norm of this name, then rotated: channel i with channel i of the second half. */
    private double[] rotated(double[] heads, String norm, int position) {
        int dim = settings.headDim();
        double[] result = new double[heads.length];
        for (int from = 0; from < heads.length; from += dim) {
            double[] head = Arrays.copyOfRange(heads, from, from + dim);
            double[] normed = weights.containsKey(norm + ".weight") ? norm(head, norm) : head;
            for (int pair = 0; pair < dim / 2; pair++) {
                double angle = position * settings.frequencies()[pair];
                double one = normed[pair];
                double other = normed[pair + dim / 2];
                result[from + pair] = one * Math.cos(angle) - other * Math.sin(angle);
                result[from + pair + dim / 2] = one * Math.sin(angle) + other * Math.cos(angle);
            }
        }
        return result;
    }

    private double[] mlp(double[] x, String name) {
        double[] gate = linear(x, name + "gate_proj");
        double[] up = linear(x, name + "up_proj");
        for (int channel = 0; channel < gate.length; channel++) {
            double z = gate[channel];
            double active = settings.isGemma()
                    ? 0.5 * z * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z * z * z)))
                    : z / (1 + Math.exp(-z));
            gate[channel] = active * up[channel];
        }
        return linear(gate, name + "down_proj");
    }

    private double[] norm(double[] x, String name) {
        double squares = 0;
        for (double value : x) {
            squares += value * value;
        }
        double root = Math.sqrt(squares / x.length + settings.epsilon());
        double[] weight = weights.get(name + ".weight").values();
        double[] y = new double[x.length];
        for (int channel = 0; channel < x.length; channel++) {
            y[channel] = x[channel] / root * (settings.isGemma() ? 1 + weight[channel] : weight[channel]);
        }
        return y;
    }

    /** {@code W x}, plus a bias if there is one of this name. */
    private double[] linear(double[] x, String name) {
        double[] weight = weights.get(name + ".weight").values();
        GoldenTensor bias = weights.get(name + ".bias");
        double[] y = new double[weight.length / x.length];
        for (int row = 0; row < y.length; row++) {
            y[row] = bias == null ? 0 : bias.values()[row];
            for (int channel = 0; channel < x.length; channel++) {
                y[row] += weight[row * x.length + channel] * x[channel];
            }
        }
        return y;
    }

    /** {@code cap * tanh(x / cap)}, in place; a cap of 0 is none. */
    private static double[] capped(double[] x, double cap) {
        for (int index = 0; index < x.length && cap != 0; index++) {
            x[index] = cap * Math.tanh(x[index] / cap);
        }
        return x;
    }

    private static double logSumExp(double[] x) {
        double largest = Arrays.stream(x).max().orElseThrow();
        double sum = 0;
        for (double value : x) {
            sum += Math.exp(value - largest);
        }
        return largest + Math.log(sum);
    }

    private static void add(double[] to, double[] x) {
        for (int channel = 0; channel < to.length; channel++) {
            to[channel] += x[channel];
        }
    }
}
