package org.example.olmo2;

import io.hirundo.family.StoredValues;
import io.hirundo.kernel.attention.Heads;
import java.util.Arrays;
import java.util.stream.IntStream;

/** OLMo 2 in double precision, plain loops by the definition in the Transformers library. */
record Olmo2Reference(Olmo2Options options, Heads heads, StoredValues tensors) {
    double[][] logits(int[] tokens) {
        int hidden = options.hiddenSize();
        double[][] x = IntStream.of(tokens)
                .mapToObj(t -> tensors.rows("model.embed_tokens.weight", t, 1))
                .toArray(double[][]::new);
        for (int layer = 0; layer < options.numHiddenLayers(); layer++) {
            String name = "model.layers." + layer;
            add(x, norm(attention(x, name + ".self_attn."), name + ".post_attention_layernorm.weight"));
            double[][] gate = product(x, name + ".mlp.gate_proj.weight", options.intermediateSize());
            double[][] up = product(x, name + ".mlp.up_proj.weight", options.intermediateSize());
            for (int t = 0; t < gate.length; t++) {
                for (int f = 0; f < gate[t].length; f++) {
                    gate[t][f] = gate[t][f] / (1 + Math.exp(-gate[t][f])) * up[t][f];
                }
            }
            add(
                    x,
                    norm(
                            product(gate, name + ".mlp.down_proj.weight", hidden),
                            name + ".post_feedforward_layernorm.weight"));
        }
        String head = options.tieWordEmbeddings() ? "model.embed_tokens.weight" : "lm_head.weight";
        return product(norm(x, "model.norm.weight"), head, options.vocabSize());
    }

    private double[][] attention(double[][] x, String name) {
        int dim = heads.dim();
        double[][] q = norm(product(x, name + "q_proj.weight", heads.query() * dim), name + "q_norm.weight");
        double[][] k = norm(product(x, name + "k_proj.weight", heads.keyValue() * dim), name + "k_norm.weight");
        double[][] v = product(x, name + "v_proj.weight", heads.keyValue() * dim);
        double[][] mixed = new double[x.length][heads.query() * dim];
        for (int t = 0; t < x.length; t++) {
            rotate(q[t], t);
            rotate(k[t], t);
            for (int head = 0; head < heads.query(); head++) {
                int at = head * dim;
                int shared = head / (heads.query() / heads.keyValue()) * dim;
                double[] weights = new double[t + 1];
                double sum = 0;
                for (int s = 0; s <= t; s++) {
                    double score = 0;
                    for (int d = 0; d < dim; d++) {
                        score += q[t][at + d] * k[s][shared + d];
                    }
                    weights[s] = Math.exp(score / Math.sqrt(dim));
                    sum += weights[s];
                }
                for (int s = 0; s <= t; s++) {
                    for (int d = 0; d < dim; d++) {
                        mixed[t][at + d] += weights[s] / sum * v[s][shared + d];
                    }
                }
            }
        }
        return product(mixed, name + "o_proj.weight", options.hiddenSize());
    }

    private void rotate(double[] row, int position) {
        int half = heads.dim() / 2;
        for (int from = 0; from < row.length; from += heads.dim()) {
            for (int i = 0; i < half; i++) {
                double angle = position * Math.pow(options.ropeTheta(), -2.0 * i / heads.dim());
                double first = row[from + i];
                double second = row[from + half + i];
                row[from + i] = first * Math.cos(angle) - second * Math.sin(angle);
                row[from + half + i] = second * Math.cos(angle) + first * Math.sin(angle);
            }
        }
    }

    private double[][] norm(double[][] x, String name) {
        double[] weight = tensors.rows(name, 0, x[0].length);
        double[][] y = new double[x.length][weight.length];
        for (int t = 0; t < x.length; t++) {
            double mean = Arrays.stream(x[t]).map(value -> value * value).sum() / weight.length;
            for (int c = 0; c < weight.length; c++) {
                y[t][c] = x[t][c] / Math.sqrt(mean + options.rmsNormEps()) * weight[c];
            }
        }
        return y;
    }

    private double[][] product(double[][] x, String name, int outputs) {
        double[][] y = new double[x.length][outputs];
        for (int n = 0; n < outputs; n++) {
            double[] row = tensors.rows(name, n, 1);
            for (int t = 0; t < x.length; t++) {
                for (int k = 0; k < row.length; k++) {
                    y[t][n] += x[t][k] * row[k];
                }
            }
        }
        return y;
    }

    private static void add(double[][] to, double[][] x) {
        for (int t = 0; t < to.length; t++) {
            for (int c = 0; c < to[t].length; c++) {
                to[t][c] += x[t][c];
            }
        }
    }
}
