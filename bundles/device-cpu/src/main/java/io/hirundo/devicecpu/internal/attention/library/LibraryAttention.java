package io.hirundo.devicecpu.internal.attention.library;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.attention.AttentionOperands;
import io.hirundo.devicecpu.internal.attention.VectorAttention;
import io.hirundo.devicecpu.internal.gemm.library.PreparedGemms;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attention in BF16 by a library's GEMMs, see {@link BlockGemm}: probabilities and the gradients of scores are rounded to BF16 before they
 * are multiplied, as in PyTorch's attention on the CPU. Other types, and what does not fit a worker's memory, go to the vector kernels.
 */
public final class LibraryAttention implements AttentionKernels, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LibraryAttention.class);

    private final WorkerPool pool;
    private final PreparedGemms gemms;
    private final VectorAttention own;
    /** Whether it is logged that a backward does not fit. */
    private boolean announced;

    public LibraryAttention(WorkerPool pool, GemmLibrary library) {
        this.pool = pool;
        this.gemms = new PreparedGemms(library);
        this.own = new VectorAttention(pool);
    }

    @Override
    public void splitAndRotate(
            Queue queue,
            Heads heads,
            int sequences,
            Tensor qkvTE,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            QueryKeyValue out) {
        own.splitAndRotate(queue, heads, sequences, qkvTE, cosPD2, sinPD2, positionsT, out);
    }

    @Override
    public void rotateBackAndJoin(
            Queue queue,
            Heads heads,
            int sequences,
            QueryKeyValue gradient,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            Tensor dqkvTE) {
        own.rotateBackAndJoin(queue, heads, sequences, gradient, cosPD2, sinPD2, positionsT, dqkvTE);
    }

    @Override
    public boolean supports(AttentionOptions options) {
        return own.supports(options);
    }

    /** One caller at a time, as in {@link #backward}: a GEMM that is evicted from the cache must not run. */
    @Override
    public synchronized void forward(
            Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        if (!serves(operands)) {
            own.forward(queue, shape, in, outputTHD, logSumExpBHS);
            return;
        }
        gemms.evict();
        ForwardTask task = new ForwardTask(operands, gemms);
        pool.run(task.tasks(), task);
    }

    @Override
    public synchronized void backward(
            Queue queue,
            AttentionShape shape,
            Tensor outputGradientTHD,
            QueryKeyValue in,
            Tensor outputTHD,
            Tensor logSumExpBHS,
            QueryKeyValue gradient) {
        AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        CpuTensor outputGradient = operands.outputGradient(outputGradientTHD);
        AttentionOperands.Inputs gradients = operands.gradient(gradient);
        boolean fits = BackwardTask.serves(shape);
        if (serves(operands) && !fits && !announced) {
            announced = true;
            LOG.info(
                    "device cpu: the backward of attention over {} keys of {} channels by the Vector API: a worker's memory does not hold its sums",
                    shape.keyTokens(),
                    shape.heads().dim());
        }
        if (!serves(operands) || !fits) {
            own.backward(queue, shape, outputGradientTHD, in, outputTHD, logSumExpBHS, gradient);
            return;
        }
        gemms.evict();
        BackwardTask task = new BackwardTask(operands, outputGradient, gradients, gemms);
        pool.run(task.tasks(), task);
    }

    @Override
    public void merge(
            Queue queue,
            AttentionShape shape,
            Tensor partTHD,
            Tensor partLogSumExpBHS,
            Tensor outputTHD,
            Tensor logSumExpBHS) {
        own.merge(queue, shape, partTHD, partLogSumExpBHS, outputTHD, logSumExpBHS);
    }

    /** A single query, as of a decoder's next token, is too little for a library. */
    private static boolean serves(AttentionOperands operands) {
        AttentionShape shape = operands.shape();
        return operands.dtype() == DType.BF16
                && VectorAttention.serves(operands)
                && shape.queryTokens() > 1
                && shape.keyTokens() > 1;
    }

    @Override
    public void close() {
        gemms.close();
    }
}
