package io.hirundo.testkit.scalar.kernel;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/**
 * Scalar rotary embedding between a fused QKV row and heads: pairs (d, d + D/2).
 *
 * @param tokens of a sequence, S
 */
record ScalarRotary(
        Heads heads, int sequences, long tokens, ScalarTensor cos, ScalarTensor sin, ScalarTensor positions) {
    static ScalarRotary of(
            Heads heads, int sequences, Tensor fusedTE, Tensor cosPD2, Tensor sinPD2, Tensor positionsT) {
        long all = fusedTE.elements() / heads.fusedChannels();
        return new ScalarRotary(
                heads,
                sequences,
                all / sequences,
                ScalarTensor.of("cosPD2", cosPD2),
                ScalarTensor.of("sinPD2", sinPD2),
                ScalarOperands.tokens("positionsT", positionsT, all));
    }

    /** From the fused rows to the heads, or back. */
    void move(ScalarTensor fused, QueryKeyValue split, boolean forward) {
        int from = 0;
        from = part(fused, from, "queryBHSD", split.queryBHSD(), heads.query(), true, forward);
        from = part(fused, from, "keyBGSD", split.keyBGSD(), heads.keyValue(), true, forward);
        part(fused, from, "valueBGSD", split.valueBGSD(), heads.keyValue(), false, forward);
    }

    /** Returns the channel after this part of a fused row. */
    private int part(
            ScalarTensor fused, int from, String operand, Tensor tensor, int count, boolean rotated, boolean forward) {
        int dim = heads.dim();
        ScalarTensor split = ScalarOperands.floating(operand, tensor, sequences * tokens * count * dim);
        for (long token = 0; token < sequences * tokens; token++) {
            for (int head = 0; head < count; head++) {
                long fusedAt = token * heads.fusedChannels() + from + (long) head * dim;
                long splitAt = ((token / tokens * count + head) * tokens + token % tokens) * dim;
                ScalarTensor source = forward ? fused : split;
                long sourceAt = forward ? fusedAt : splitAt;
                for (int d = 0; d < dim; d++) {
                    double value = rotated ? rotate(source, sourceAt, token, d, forward) : source.get(sourceAt + d);
                    (forward ? split : fused).set((forward ? splitAt : fusedAt) + d, value);
                }
            }
        }
        return from + count * dim;
    }

    private double rotate(ScalarTensor x, long at, long token, int d, boolean forward) {
        int half = heads.dim() / 2;
        long angle = (long) positions.get(token) * half + d % half;
        double sine = forward ? sin.get(angle) : -sin.get(angle);
        double other = d < half ? -x.get(at + d + half) : x.get(at + d - half);
        return x.get(at + d) * cos.get(angle) + other * sine;
    }
}
