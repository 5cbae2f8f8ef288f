package io.hirundo.trainer.internal.evaluation;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.data.DeviceBatch;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.layout.TokenSplit;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.lib.inference.sampling.TokenLogits;
import io.hirundo.model.layer.Recompute;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/** Computes logits of token sequences in one forward pass, without a KV cache: what generation with one is compared with. */
public final class LogitReader implements TokenLogits {
    private final RankModel model;
    private final int maximumTokens;

    public LogitReader(RankModel model) {
        this(model, Integer.MAX_VALUE);
    }

    /** Limits sequences to {@code maximumTokens}, if that is less than the model's maximum. */
    public LogitReader(RankModel model, int maximumTokens) {
        this.model = model;
        this.maximumTokens = Math.min(maximumTokens, model.spec().maximumSequenceTokens());
    }

    @Override
    public int maximumTokens() {
        return maximumTokens;
    }

    @Override
    public long vocabulary() {
        return model.spec().vocabulary();
    }

    @Override
    public float[] afterLast(int[] tokens) {
        return read(tokens, tokens.length - 1, 1);
    }

    /** The logits after each token, [T, V] in row-major order. */
    public float[] afterEach(int[] tokens) {
        return read(tokens, 0, tokens.length);
    }

    private float[] read(int[] tokens, int first, int count) {
        requireKnown(tokens);
        var device = model.device();
        // A batch has labels. The label of the last token is unknown and not used.
        int[] row = Arrays.copyOf(tokens, tokens.length + 1);
        try (var batch = new DeviceBatch(device, model.queue(), new HostBatch(List.of(row)), TokenSplit.WHOLE);
                Tensor logitsTV = model.blocks()
                        .whole()
                        .logits(new MicrobatchContext(
                                model.rankDevice(), batch.batch(), Recompute.NONE, model.lossSum(), 1));
                Tensor wanted = device.allocate(
                        MemoryCategory.ACTIVATIONS, Shape.of(count, model.spec().vocabulary()), DType.FP32);
                Arena arena = Arena.ofConfined()) {
            device.kernels().elementwise().copy(model.queue(), logitsTV.rows(first, count), wanted);
            MemorySegment host = arena.allocate(wanted.byteSize(), 64);
            device.transfer().download(model.queue(), wanted, host);
            model.queue().drain();
            return host.toArray(ValueLayout.JAVA_FLOAT);
        }
    }
}
