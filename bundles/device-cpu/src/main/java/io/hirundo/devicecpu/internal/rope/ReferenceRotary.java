package io.hirundo.devicecpu.internal.rope;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;

/**
 * Rotary embedding (Su et al. 2021, arXiv 2104.09864, pairs (d, d + D/2) as in Hugging Face models), in double arithmetic:
 * {@code y1 = x1 cos - x2 sin, y2 = x2 cos + x1 sin}. The gradient is the rotation back.
 */
public final class ReferenceRotary {
    private ReferenceRotary() {}

    public static void splitAndRotate(RotaryOperands operands) {
        forEachHead(operands, (fusedAt, splitAt, target, token, rotated) -> {
            for (int d = 0; d < operands.heads().dim(); d++) {
                CpuTensor source = operands.fused();
                double value = rotated ? rotate(operands, source, fusedAt, token, d, 1) : source.getDouble(fusedAt + d);
                target.setDouble(splitAt + d, value);
            }
        });
    }

    public static void rotateBackAndJoin(RotaryOperands operands) {
        forEachHead(operands, (fusedAt, splitAt, source, token, rotated) -> {
            for (int d = 0; d < operands.heads().dim(); d++) {
                double value =
                        rotated ? rotate(operands, source, splitAt, token, d, -1) : source.getDouble(splitAt + d);
                operands.fused().setDouble(fusedAt + d, value);
            }
        });
    }

    /** Channel d of a head, rotated by the token's position in the direction of {@code sign}. */
    private static double rotate(RotaryOperands operands, CpuTensor from, long at, int token, int d, int sign) {
        int half = operands.heads().dim() / 2;
        long angle = (long) operands.position(token) * half + d % half;
        double cos = operands.tables().cos().getDouble(angle);
        double sin = sign * operands.tables().sin().getDouble(angle);
        double own = from.getDouble(at + d);
        return d < half
                ? own * cos - from.getDouble(at + d + half) * sin
                : own * cos + from.getDouble(at + d - half) * sin;
    }

    /** One head of one token: where it begins in the fused row's tensor and in the split one. */
    @FunctionalInterface
    private interface HeadAction {
        void run(long fusedAt, long splitAt, CpuTensor split, int token, boolean rotated);
    }

    private static void forEachHead(RotaryOperands operands, HeadAction action) {
        int queries = operands.heads().query();
        int keys = operands.heads().keyValue();
        int dim = operands.heads().dim();
        for (int token = 0; token < operands.tokens(); token++) {
            long row = token * operands.heads().fusedChannels();
            for (int head = 0; head < queries + 2 * keys; head++) {
                long fusedAt = row + (long) head * dim;
                if (head < queries) {
                    action.run(
                            fusedAt,
                            operands.splitRow(token, head, queries) * dim,
                            operands.split().query(),
                            token,
                            true);
                } else {
                    boolean key = head < queries + keys;
                    long splitAt = operands.splitRow(token, (head - queries) % keys, keys) * dim;
                    action.run(
                            fusedAt,
                            splitAt,
                            key ? operands.split().key() : operands.split().value(),
                            token,
                            key);
                }
            }
        }
    }
}
