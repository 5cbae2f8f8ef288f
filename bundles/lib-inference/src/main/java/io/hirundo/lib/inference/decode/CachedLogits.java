package io.hirundo.lib.inference.decode;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.lib.inference.sampling.TokenLogits;
import io.hirundo.model.layer.Recompute;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * Logits of the next token of one sequence, with a KV cache: tokens that were the beginning of the previous call are not computed
 * again. If other tokens are given, or the sequence has reached its maximum and its first token drops out, all are computed, in one
 * forward pass. On device {@code cpu}, with precisions that scale each row on its own, the logits are bitwise those of a forward pass over all
 * tokens.
 *
 * <p>The cache is allocated by {@link #reserve}, or with room for the maximum by the first other call. The model's weights must not
 * change while it exists. The caller closes this object before the model.
 */
public final class CachedLogits implements TokenLogits, AutoCloseable {
    private final RankModel model;
    private final int maximumTokens;
    /** Null until the first call. */
    private KeyValueCache cache;

    private List<? extends AttentionCore> cores;
    private int[] cached = {};

    /** Limits sequences to {@code maximumTokens}, if that is less than the model's maximum. */
    public CachedLogits(RankModel model, int maximumTokens) {
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
    public void reserve(int tokens) {
        int capacity = Math.min(tokens, maximumTokens);
        if (cache != null && cache.capacity() >= capacity) {
            return;
        }
        close();
        var rank = model.rankDevice();
        var attended = model.blocks().layers().attentionCores().attended();
        cache = new KeyValueCache(rank.device(), rank.queue(), attended, rank.activationType(), 1, capacity);
        cores = cache.cores(0);
    }

    @Override
    public float[] afterLast(int[] tokens) {
        requireKnown(tokens);
        if (cache == null) {
            reserve(maximumTokens);
        }
        int common = Arrays.mismatch(cached, tokens);
        // At least the last token is computed: its logits are not cached.
        int kept = Math.min(common < 0 ? cached.length : common, tokens.length - 1);
        cache.truncate(0, kept);
        // What follows may fail.
        cached = Arrays.copyOf(cached, kept);
        float[] logits = forward(Arrays.copyOfRange(tokens, kept, tokens.length));
        cached = tokens.clone();
        return logits;
    }

    /** Logits after the last of these tokens, [V], which follow the cached ones. */
    private float[] forward(int[] tokens) {
        var device = model.device();
        float[][] logits = new float[1][];
        try (var batch = new DecodeBatch(device, model.queue(), new int[][] {tokens}, cache.tokens(0))) {
            var context = new MicrobatchContext(model.rankDevice(), batch.batch(), Recompute.NONE, model.lossSum(), 1);
            model.blocks().layers().attentionCores().withOthers(cores, () -> logits[0] = read(context));
        }
        cache.advance(tokens.length, 0);
        return logits[0];
    }

    private float[] read(MicrobatchContext context) {
        var device = model.device();
        try (Tensor logitsV = model.blocks().whole().lastLogits(context);
                Tensor wideV = device.allocate(
                        MemoryCategory.ACTIVATIONS, Shape.of(1, model.spec().vocabulary()), DType.FP32);
                Arena arena = Arena.ofConfined()) {
            device.kernels().elementwise().copy(model.queue(), logitsV, wideV);
            MemorySegment host = arena.allocate(wideV.byteSize(), 64);
            device.transfer().download(model.queue(), wideV, host);
            model.queue().drain();
            return host.toArray(ValueLayout.JAVA_FLOAT);
        }
    }

    @Override
    public void close() {
        if (cache != null) {
            // Queued work may still read the cache.
            model.queue().drain();
            cache.close();
            cache = null;
            cached = new int[0];
        }
    }
}
