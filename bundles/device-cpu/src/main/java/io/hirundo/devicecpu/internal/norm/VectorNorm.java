package io.hirundo.devicecpu.internal.norm;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.NormRows;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.NormKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.function.Function;

/**
 * RMSNorm with the Vector API, for FP32, and for BF16 in {@link NormPairs} or, with channels that are not whole pairs of vectors, with rows
 * that are widened one by one. FP64 operands, rows of more than 65,536
 * BF16 channels and BF16 weight gradients go to {@link ReferenceNorm}.
 */
public final class VectorNorm implements NormKernels {
    private final WorkerPool pool;
    private final ReferenceNorm reference = new ReferenceNorm();

    public VectorNorm(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        if (!operands.isFast()) {
            reference.forward(queue, xTC, weightC, epsilon, yTC, inverseRmsT);
            return;
        }
        CpuTensor weight = operands.weight("weightC", weightC);
        CpuTensor y = operands.rows("yTC", yTC);
        if (isPaired(operands)) {
            forEachPaired(operands, weight, (pairs, token) -> {
                long x = operands.bf16Row(operands.x(), token);
                normalize(
                        operands,
                        pairs,
                        x,
                        NormPairs.sumOfSquares(x, operands.channels()),
                        epsilon,
                        token,
                        operands.bf16Row(y, token));
            });
            return;
        }
        forEachToken(operands, rows -> {
            Row x = rows.of(operands.x());
            long w = rows.of(weight).read(0);
            Row out = rows.of(y);
            return token -> normalize(operands, x.read(token), w, epsilon, token, out);
        });
    }

    @Override
    public void addForward(
            Queue queue,
            Tensor xTC,
            Tensor deltaTC,
            Tensor weightC,
            double epsilon,
            Tensor sumTC,
            Tensor yTC,
            Tensor inverseRmsT) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        if (!operands.isFast()) {
            reference.addForward(queue, xTC, deltaTC, weightC, epsilon, sumTC, yTC, inverseRmsT);
            return;
        }
        CpuTensor delta = operands.rows("deltaTC", deltaTC);
        CpuTensor weight = operands.weight("weightC", weightC);
        CpuTensor sum = operands.rows("sumTC", sumTC);
        CpuTensor y = operands.rows("yTC", yTC);
        if (isPaired(operands)) {
            forEachPaired(operands, weight, (pairs, token) -> {
                long total = operands.bf16Row(sum, token);
                float squares = NormPairs.add(
                        operands.bf16Row(operands.x(), token),
                        operands.bf16Row(delta, token),
                        operands.channels(),
                        total);
                normalize(operands, pairs, total, squares, epsilon, token, operands.bf16Row(y, token));
            });
            return;
        }
        forEachToken(operands, rows -> {
            Row x = rows.of(operands.x());
            Row added = rows.of(delta);
            long w = rows.of(weight).read(0);
            Row total = rows.of(sum);
            Row out = rows.of(y);
            return token -> {
                NormRows.add(x.read(token), added.read(token), operands.channels(), total.target(token));
                total.store(token);
                // Of the sum as it is stored, so that reapply gives the same bits.
                normalize(operands, total.read(token), w, epsilon, token, out);
            };
        });
    }

    @Override
    public void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        if (!operands.isFast()) {
            reference.reapply(queue, xTC, weightC, inverseRmsT, yTC);
            return;
        }
        CpuTensor weight = operands.weight("weightC", weightC);
        CpuTensor y = operands.rows("yTC", yTC);
        if (isPaired(operands)) {
            forEachPaired(
                    operands,
                    weight,
                    (pairs, token) -> pairs.apply(
                            operands.bf16Row(operands.x(), token),
                            inverseRms(operands, token),
                            operands.bf16Row(y, token)));
            return;
        }
        forEachToken(operands, rows -> {
            Row x = rows.of(operands.x());
            long w = rows.of(weight).read(0);
            Row out = rows.of(y);
            return token -> {
                NormRows.apply(x.read(token), w, inverseRms(operands, token), operands.channels(), out.target(token));
                out.store(token);
            };
        });
    }

    @Override
    public void backwardInput(
            Queue queue,
            Tensor dyTC,
            Tensor xTC,
            Tensor weightC,
            Tensor inverseRmsT,
            Tensor residualGradientTC,
            Tensor dxTC) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        if (!operands.isFast()) {
            reference.backwardInput(queue, dyTC, xTC, weightC, inverseRmsT, residualGradientTC, dxTC);
            return;
        }
        int channels = operands.channels();
        CpuTensor dyRows = operands.rows("dyTC", dyTC);
        CpuTensor weight = operands.weight("weightC", weightC);
        CpuTensor dxRows = operands.rows("dxTC", dxTC);
        CpuTensor residual =
                residualGradientTC == null ? null : operands.rows("residualGradientTC", residualGradientTC);
        if (isPaired(operands)) {
            forEachPaired(operands, weight, (pairs, token) -> {
                long dy = operands.bf16Row(dyRows, token);
                long x = operands.bf16Row(operands.x(), token);
                float r = inverseRms(operands, token);
                float perX = -r * r * r * pairs.sumOfProducts(dy, x) / channels;
                pairs.combine(
                        dy,
                        x,
                        r,
                        perX,
                        residual == null ? 0 : operands.bf16Row(residual, token),
                        operands.bf16Row(dxRows, token));
            });
            return;
        }
        forEachToken(operands, rows -> {
            Row dyRow = rows.of(dyRows);
            Row xRow = rows.of(operands.x());
            long w = rows.of(weight).read(0);
            Row dxRow = rows.of(dxRows);
            Row past = residual == null ? null : rows.of(residual);
            return token -> {
                long dy = dyRow.read(token);
                long x = xRow.read(token);
                long dx = dxRow.target(token);
                float r = inverseRms(operands, token);
                float perX = -r * r * r * NormRows.sumOfProducts(dy, w, x, channels) / channels;
                if (past == null) {
                    NormRows.combine(dy, w, x, r, perX, channels, dx);
                } else {
                    NormRows.combineAndAdd(dy, w, x, r, perX, past.read(token), channels, dx);
                }
                dxRow.store(token);
            };
        });
    }

    @Override
    public void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC) {
        NormOperands operands = NormOperands.of(xTC, inverseRmsT);
        CpuTensor dy = operands.rows("dyTC", dyTC);
        CpuTensor dw = operands.weight("dwC", dwC);
        if (dw.dtype() != DType.FP32) {
            reference.backwardWeight(queue, dyTC, xTC, inverseRmsT, dwC);
            return;
        }
        NormColumns columns = new NormColumns(operands, dy);
        pool.run(columns.tasks(), (task, scratch) -> columns.add(task, scratch, dw.address()));
    }

    /** Rows of one tensor. */
    private record Row(WideSpan span, int channels) {
        long read(long token) {
            return span.read(token * channels, channels);
        }

        long target(long token) {
            return span.target(token * channels);
        }

        void store(long token) {
            span.store(token * channels, channels);
        }
    }

    /** A task's rows. */
    private record Rows(Scratch scratch, int channels) {
        Row of(CpuTensor tensor) {
            return new Row(WideSpan.of(tensor, channels, scratch), channels);
        }
    }

    /** Work on one token. */
    @FunctionalInterface
    private interface TokenAction {
        void run(long token);
    }

    private void forEachToken(NormOperands operands, Function<Rows, TokenAction> task) {
        Blocks.rows(pool, operands.tokens(), operands.channels(), (first, count, scratch) -> {
            TokenAction action = task.apply(new Rows(scratch, operands.channels()));
            for (long token = first; token < first + count; token++) {
                action.run(token);
            }
        });
    }

    /** Work on one token of BF16. */
    @FunctionalInterface
    private interface PairedAction {
        void run(NormPairs pairs, long token);
    }

    private void forEachPaired(NormOperands operands, CpuTensor weight, PairedAction action) {
        forEachToken(operands, rows -> {
            NormPairs pairs = new NormPairs(rows.of(weight).read(0), operands.channels(), rows.scratch);
            return token -> action.run(pairs, token);
        });
    }

    private static void normalize(NormOperands operands, long x, long weight, double epsilon, long token, Row y) {
        int channels = operands.channels();
        float r = inverseRms(NormRows.sumOfSquares(x, channels), channels, epsilon);
        Memory.setFloat(operands.inverseRms().address() + token * 4, r);
        NormRows.apply(x, weight, r, channels, y.target(token));
        y.store(token);
    }

    private static void normalize(
            NormOperands operands, NormPairs pairs, long x, float squares, double epsilon, long token, long y) {
        float r = inverseRms(squares, operands.channels(), epsilon);
        Memory.setFloat(operands.inverseRms().address() + token * 4, r);
        pairs.apply(x, r, y);
    }

    /** Whether the loops over pairs serve. */
    private static boolean isPaired(NormOperands operands) {
        return operands.x().dtype() == DType.BF16 && NormPairs.serves(operands.channels());
    }

    private static float inverseRms(NormOperands operands, long token) {
        return Memory.getFloat(operands.inverseRms().address() + token * 4);
    }

    private static float inverseRms(float squares, int channels, double epsilon) {
        return (float) (1 / Math.sqrt((double) squares / channels + epsilon));
    }
}
