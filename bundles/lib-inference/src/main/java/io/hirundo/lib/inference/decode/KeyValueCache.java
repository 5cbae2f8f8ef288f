package io.hirundo.lib.inference.decode;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.lib.engine.layer.AttentionCores;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Rotated keys and values of the tokens so far, for every layer and for several sequences of different lengths. A layer has one tensor
 * [B, G, N, D] for keys and one for values: B sequences, G key/value heads, room for N tokens, head dimension D. So the tokens of one
 * head of one sequence are contiguous, and the device's attention reads the cache like the keys of a full sequence, with a causal
 * offset. A forward pass extends some of the sequences by the same number of tokens; its GEMMs serve them together. All memory is
 * allocated at once; the caller closes the cache.
 */
final class KeyValueCache implements AutoCloseable {
    private final Opened opened = new Opened();
    private final List<Layer> layers = new ArrayList<>();
    private final int[] tokensB;
    private final int capacity;

    /**
     * Allocates the cache.
     *
     * @param attended heads and options of each layer
     * @param dtype of activations
     * @param sequences B
     * @param capacity N, at least 1
     */
    KeyValueCache(
            Device device,
            Queue queue,
            List<AttentionCores.Attended> attended,
            DType dtype,
            int sequences,
            int capacity) {
        this.capacity = capacity;
        this.tokensB = new int[sequences];
        try {
            for (AttentionCores.Attended of : attended) {
                Shape shape = Shape.of(
                        sequences, of.heads().keyValue(), capacity, of.heads().dim());
                layers.add(new Layer(of, zeros(device, queue, shape, dtype), zeros(device, queue, shape, dtype)));
            }
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /** Kernels multiply keys behind the last token with probability 0, which a NaN in uninitialized memory would survive. */
    private Tensor zeros(Device device, Queue queue, Shape shape, DType dtype) {
        Tensor tensor = opened.add(device.allocate(MemoryCategory.ACTIVATIONS, shape, dtype), Tensor::close);
        device.kernels().elementwise().fill(queue, tensor, 0);
        return tensor;
    }

    /** N, the room for tokens of each sequence. */
    int capacity() {
        return capacity;
    }

    /** The cached tokens of a sequence. */
    int tokens(int sequence) {
        return tokensB[sequence];
    }

    /** Keeps only the first tokens of a sequence. */
    void truncate(int sequence, int tokens) {
        if (tokens < 0 || tokens > tokensB[sequence]) {
            throw new IllegalArgumentException("cannot keep " + tokens + " of " + tokensB[sequence] + " cached tokens");
        }
        tokensB[sequence] = tokens;
    }

    /** To be called after a forward pass of all layers, which has written so many tokens of these sequences behind the cached ones. */
    void advance(int tokens, int... sequences) {
        for (int sequence : sequences) {
            tokensB[sequence] += tokens;
        }
    }

    /**
     * The attention cores of all layers for a batch of some sequences. Their forward takes S new tokens of each, writes their keys and
     * values behind the cached ones and attends to both. They have no backward.
     *
     * @param sequences the cache's sequence of each sequence of the batch, without repetition
     */
    List<? extends AttentionCore> cores(int... sequences) {
        return layers.stream().map(layer -> new Core(layer, sequences.clone())).toList();
    }

    @Override
    public void close() {
        opened.close();
    }

    /** The cache of one layer. */
    private record Layer(AttentionCores.Attended attended, Tensor keyBGND, Tensor valueBGND) {}

    private final class Core implements AttentionCore {
        private final Layer layer;
        private final int[] sequences;

        Core(Layer layer, int[] sequences) {
            this.layer = layer;
            this.sequences = sequences;
        }

        @Override
        public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
            int count = context.batch().sequenceTokens();
            for (int index = 0; index < sequences.length; index++) {
                int before = tokensB[sequences[index]];
                if (before + count > capacity) {
                    throw new IllegalStateException(
                            "the KV cache has room for " + capacity + " tokens, not for " + (before + count));
                }
                append(context, in.keyBGSD(), layer.keyBGND, index, count);
                append(context, in.valueBGSD(), layer.valueBGND, index, count);
                var cached = new QueryKeyValue(
                        in.queryBHSD().rows(index, 1),
                        layer.keyBGND.rows(sequences[index], 1),
                        layer.valueBGND.rows(sequences[index], 1));
                context.device()
                        .kernels()
                        .attention()
                        .forward(
                                context.queue(),
                                new AttentionShape(1, count, capacity, layer.attended.heads(), before)
                                        .with(layer.attended.options()),
                                cached,
                                outputTHD.rows((long) index * count, count),
                                logSumExpBHS.rows(index, 1));
            }
        }

        /** Copies {@code count} new rows of each head of a sequence behind its cached ones. */
        private void append(StepContext context, Tensor fromBGSD, Tensor toBGND, int index, int count) {
            var elementwise = context.device().kernels().elementwise();
            Heads heads = layer.attended.heads();
            Shape rows = Shape.of(count, heads.dim());
            for (int head = 0; head < heads.keyValue(); head++) {
                long from = ((long) index * heads.keyValue() + head) * count * heads.dim();
                long to = (((long) sequences[index] * heads.keyValue() + head) * capacity + tokensB[sequences[index]])
                        * heads.dim();
                elementwise.copy(context.queue(), fromBGSD.view(from, rows), toBGND.view(to, rows));
            }
        }

        @Override
        public void backward(
                StepContext context,
                Tensor outputGradientTHD,
                QueryKeyValue in,
                Tensor outputTHD,
                Tensor logSumExpBHS,
                QueryKeyValue gradient) {
            throw new IllegalStateException("attention with a KV cache has no backward pass");
        }
    }
}
