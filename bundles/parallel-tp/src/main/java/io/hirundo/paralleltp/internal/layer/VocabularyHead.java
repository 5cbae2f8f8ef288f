package io.hirundo.paralleltp.internal.layer;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.transformer.LogitCap;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.LossHeadLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.paralleltp.internal.residual.Gathering;
import io.hirundo.paralleltp.internal.residual.PartialSums;
import io.hirundo.paralleltp.internal.residual.ResidualStream;
import io.hirundo.precision.GradientPair;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * Projection to this rank's part of the vocabulary, in chunks of tokens that are the same on every rank: some rows of each
 * rank's residual stream. So neither the rows of all ranks nor the logits ever exist as a whole, and the transfers of one chunk
 * run during the GEMMs of another. Suffix R: this rank's rows of the residual stream.
 *
 * @param matrix this rank's rows of the vocabulary
 * @param firstToken the first of them
 * @param ahead whether a chunk's rows are fetched, and its gradient reduced, during GEMMs
 * @param chunkSize of all ranks together
 */
record VocabularyHead(
        LocalMatrix matrix,
        int firstToken,
        ProcessGroup group,
        ResidualStream stream,
        boolean ahead,
        ChunkSize chunkSize,
        Optional<LogitCap> cap)
        implements LossHeadLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(matrix.weight());
    }

    @Override
    public void forward(StepContext context, Tensor hRC) {
        inChunks(context, hRC, null);
    }

    @Override
    public Tensor forwardBackward(StepContext context, Tensor hRC) {
        Tensor dhRC = context.allocate(hRC.shape());
        inChunks(context, hRC, dhRC);
        return dhRC;
    }

    /** Of all tokens, on every rank. */
    @Override
    public Tensor logits(StepContext context, Tensor hRC) {
        Gathering<Tensor> h = stream.gather(context, hRC);
        long tokens = h.whole().shape().dim(0);
        long columns = columns();
        Shape whole = Shape.of(group.size() * tokens, columns);
        Tensor columnsTV =
                context.device().allocate(MemoryCategory.COMMUNICATION, Shape.of(tokens, columns), hRC.dtype());
        Tensor byRank = context.device().allocate(MemoryCategory.COMMUNICATION, whole, hRC.dtype());
        matrix.forward(context.queue(), h.whole(), columnsTV);
        h.close();
        context.queue()
                .await(group.allGather(context.queue(), columnsTV, byRank).event());
        columnsTV.close();
        Tensor logitsTV = context.allocate(Shape.of(tokens, group.size() * columns));
        var kernels = context.device().kernels().elementwise();
        Shape stretch = Shape.of(columns);
        for (int rank = 0; rank < group.size(); rank++) {
            for (long token = 0; token < tokens; token++) {
                kernels.copy(
                        context.queue(),
                        byRank.view((rank * tokens + token) * columns, stretch),
                        logitsTV.view((token * group.size() + rank) * columns, stretch));
            }
        }
        byRank.close();
        LogitCap.apply(cap, context, logitsTV);
        return logitsTV;
    }

    /**
     * Adds up the loss.
     *
     * @param dhRC receives the gradient of {@code hRC}; null for the loss alone
     */
    private void inChunks(StepContext context, Tensor hRC, Tensor dhRC) {
        long rows = hRC.shape().dim(0);
        long chunkTokens = chunkSize.tokens(
                columns(), hRC.shape().dim(1), context.activationType().byteSize());
        long chunkRows = Math.min(rows, Math.ceilDiv(chunkTokens, stream.shards()));
        Tensor logits = context.allocate(Shape.of(chunkRows * stream.shards(), columns()));
        Tensor buffer = dhRC == null ? null : LogitCap.buffer(cap, context, logits.shape());
        Gathering<Tensor> coming = null;
        PartialSums going = null;
        for (long first = 0; first < rows; first += chunkRows) {
            long count = Math.min(chunkRows, rows - first);
            Gathering<Tensor> h = coming != null ? coming : stream.gather(context, hRC.rows(first, count));
            long next = first + count;
            Tensor hTC = h.whole();
            coming = ahead && next < rows
                    ? stream.gather(context, hRC.rows(next, Math.min(chunkRows, rows - next)))
                    : null;
            Tensor logitsTV = logits.rows(0, count * stream.shards());
            matrix.forward(context.queue(), hTC, logitsTV);
            LogitCap.apply(cap, context, logitsTV);
            var loss = new SplitCrossEntropy(
                    context, group, firstToken, new TokenShards(stream.shards(), rows, first, count));
            if (dhRC == null) {
                loss.run(logitsTV, false);
            } else {
                LogitCap.gradient(cap, context, logitsTV, buffer, capped -> loss.run(capped, true));
            }
            if (going != null) {
                going.finish();
                going = null;
            }
            if (dhRC != null) {
                going = stream.sums(context, dhRC.rows(first, count));
                try (GradientPair gradients = matrix.gradients(context.queue(), logitsTV)) {
                    gradients.input(going.terms());
                    going.begin();
                    if (!ahead) {
                        going.finish();
                        going = null;
                    }
                    gradients.weight(hTC);
                }
            }
            h.close();
        }
        logits.close();
        if (buffer != null) {
            buffer.close();
        }
        if (going != null) {
            going.finish();
        }
    }

    /** The first of a rank's rows of the vocabulary. */
    static int firstToken(ParameterSpec vocabulary) {
        return Math.toIntExact(vocabulary.parts().getFirst().offset().getFirst());
    }

    private long columns() {
        return matrix.weight().spec().shape().dim(0);
    }
}
