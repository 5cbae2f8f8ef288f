package io.hirundo.parallelcp.internal;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import java.util.Random;

/**
 * Causal attention over whole sequences by its formulas, in FP64 and on arrays: the truth that pieces are compared with. Arrays
 * are [B, S, heads, D], token-major.
 */
final class WholeAttention {
    final int sequences;
    final int tokens;
    final Heads heads;
    final AttentionOptions options;
    /** By sequence and token: where its document begins. */
    final int[] documentStarts;

    final double[] query;
    final double[] key;
    final double[] value;
    final double[] outputGradient;
    final double[] output;
    final double[] logSumExp;
    final double[] queryGradient;
    final double[] keyGradient;
    final double[] valueGradient;

    /** Sequences of one document. */
    WholeAttention(int sequences, int tokens, Heads heads, long seed) {
        this(sequences, tokens, heads, AttentionOptions.NONE, new int[sequences * tokens], seed);
    }

    WholeAttention(int sequences, int tokens, Heads heads, AttentionOptions options, int[] documentStarts, long seed) {
        this.options = options;
        this.documentStarts = documentStarts;
        this.sequences = sequences;
        this.tokens = tokens;
        this.heads = heads;
        var random = new Random(seed);
        int queries = sequences * tokens * heads.query() * heads.dim();
        int keys = sequences * tokens * heads.keyValue() * heads.dim();
        query = random.doubles(queries, -2, 2).toArray();
        key = random.doubles(keys, -2, 2).toArray();
        value = random.doubles(keys, -1, 1).toArray();
        outputGradient = random.doubles(queries, -1, 1).toArray();
        output = new double[queries];
        logSumExp = new double[sequences * tokens * heads.query()];
        queryGradient = new double[queries];
        keyGradient = new double[keys];
        valueGradient = new double[keys];
        for (int sequence = 0; sequence < sequences; sequence++) {
            for (int token = 0; token < tokens; token++) {
                for (int head = 0; head < heads.query(); head++) {
                    attend(sequence, token, head);
                }
            }
        }
    }

    private void attend(int sequence, int token, int head) {
        int dim = heads.dim();
        double scale = options.scale(heads);
        double cap = options.softCap().orElse(Double.POSITIVE_INFINITY);
        int queryRow = (sequence * tokens + token) * heads.query() + head;
        int q = queryRow * dim;
        int start = Math.max(
                documentStarts[sequence * tokens + token],
                token + 1 - options.window().orElse(tokens));
        double[] weights = new double[token + 1];
        double[] slopes = new double[token + 1];
        double sum = 0;
        for (int j = start; j <= token; j++) {
            double score = scale * dot(query, q, key, keyIndex(sequence, j, head));
            double capped = Double.isFinite(cap) ? Math.tanh(score / cap) : 0;
            slopes[j] = 1 - capped * capped;
            weights[j] = Math.exp(Double.isFinite(cap) ? cap * capped : score);
            sum += weights[j];
        }
        logSumExp[queryRow] = Math.log(sum);
        double expected = 0;
        for (int j = start; j <= token; j++) {
            weights[j] /= sum;
            int k = keyIndex(sequence, j, head);
            expected += weights[j] * dot(outputGradient, q, value, k);
            for (int d = 0; d < dim; d++) {
                output[q + d] += weights[j] * value[k + d];
            }
        }
        for (int j = start; j <= token; j++) {
            int k = keyIndex(sequence, j, head);
            double score = scale * slopes[j] * weights[j] * (dot(outputGradient, q, value, k) - expected);
            for (int d = 0; d < dim; d++) {
                valueGradient[k + d] += weights[j] * outputGradient[q + d];
                queryGradient[q + d] += score * key[k + d];
                keyGradient[k + d] += score * query[q + d];
            }
        }
    }

    private int keyIndex(int sequence, int token, int head) {
        return ((sequence * tokens + token) * heads.keyValue() + head / heads.group()) * heads.dim();
    }

    private double dot(double[] a, int i, double[] b, int j) {
        double sum = 0;
        for (int d = 0; d < heads.dim(); d++) {
            sum += a[i + d] * b[j + d];
        }
        return sum;
    }
}
