package io.hirundo.lib.inference.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DataException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.inference.sampling.Sampling;
import io.hirundo.lib.inference.sampling.TextGenerator;
import io.hirundo.lib.inference.sampling.TokenLogits;
import io.hirundo.model.Architecture;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.modelllama.internal.LlamaRopeScaling;
import io.hirundo.modelqwen.internal.QwenFactory;
import io.hirundo.modelqwen.internal.QwenOptions;
import io.hirundo.modelqwen.internal.QwenType;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.data.LetterTokenizer;
import io.hirundo.trainer.internal.evaluation.LogitReader;
import io.hirundo.trainer.internal.fixture.BiasModel;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Generation with the KV cache against forward passes over all tokens: bitwise the same logits, and so the same tokens. */
class CachedLogitsTest {
    private static final PrecisionStrategy FP32 = new Fp32Factory().create(new NoOptions());
    private static final int MAXIMUM = 230;
    private static final LlamaRopeScaling SCALING = new LlamaRopeScaling(8, 1, 4, 64);

    /** Models that differ in what attention and head depend on. */
    enum Case {
        GROUPED(sizes(4, 2, 16, null, false), FP32, CpuOptions.VECTOR),
        TIED_MULTI_QUERY(sizes(3, 1, 10, null, true), FP32, CpuOptions.VECTOR),
        SCALED_ROPE(sizes(2, 2, 64, SCALING, true), FP32, CpuOptions.VECTOR),
        BFLOAT16(sizes(4, 2, 16, null, false), new Bf16Factory().create(new Bf16Options()), CpuOptions.VECTOR),
        DOUBLE_PRECISION(sizes(2, 1, 8, null, false), new Fp64Factory().create(new NoOptions()), CpuOptions.VECTOR),
        REFERENCE_KERNELS(sizes(2, 1, 8, null, false), FP32, CpuOptions.REFERENCE),
        /** A window that the cache outgrows, caps, and a scaled embedding. */
        LAYER_OPTIONS(new BiasModel(97, 24, 40, new Heads(4, 2, 16), 2, MAXIMUM, BiasModel.Options.all(70))),
        NORMS_OF_HEADS(qwen(QwenType.QWEN3)),
        BIASES(qwen(QwenType.QWEN2));

        private final Architecture model;
        private final PrecisionStrategy precision;
        private final String kernels;

        Case(LlamaOptions sizes, PrecisionStrategy precision, String kernels) {
            this(new LlamaFactory().create(sizes), precision, kernels);
        }

        Case(Architecture model) {
            this(model, FP32, CpuOptions.VECTOR);
        }

        Case(Architecture model, PrecisionStrategy precision, String kernels) {
            this.model = model;
            this.precision = precision;
            this.kernels = kernels;
        }

        private static Architecture qwen(QwenType type) {
            return new QwenFactory()
                    .create(new QwenOptions(
                            type, 97, 24, 40, 2, 4, 2, 16, MAXIMUM, 1e-6, 10000, true, 0.2, false, 0, 0));
        }

        private static LlamaOptions sizes(
                int heads, int keyValueHeads, int dim, LlamaRopeScaling scaling, boolean tied) {
            return new LlamaOptions(
                    97,
                    24,
                    40,
                    2,
                    heads,
                    keyValueHeads,
                    dim,
                    MAXIMUM,
                    1e-5,
                    10000,
                    scaling,
                    tied,
                    0.2,
                    false,
                    false,
                    0);
        }
    }

    /** A model with random weights, and the memory of its device. */
    private static final class Opened implements AutoCloseable {
        private final AccountedLedger ledger = new AccountedLedger(Long.MAX_VALUE);
        private final Rank rank;
        private final RankModel model;

        Opened(Case of) {
            var backend = new CpuBackendFactory().create(new CpuOptions(2, of.kernels));
            var parallel = TestParallel.defaults();
            rank = Rank.alone(backend, parallel.fabric(), ledger);
            model = RankModel.open(
                    rank, new Strategies.Compute(backend, of.precision), parallel, of.model, StageRequest.ONE_STAGE);
            new ModelWeights(model).initialize(7);
            model.weightsChanged();
        }

        @Override
        public void close() {
            model.close();
            rank.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void logitsAreThoseOfAForwardPassOverAllTokens(Case of) {
        try (var opened = new Opened(of);
                var cached = new CachedLogits(opened.model, Integer.MAX_VALUE)) {
            var all = new LogitReader(opened.model);
            int[] tokens = new int[MAXIMUM];
            Arrays.setAll(tokens, i -> (i * 31 + i * i) % 97);
            // A prompt, single tokens across several tiles of attention, several tokens at once, and a step back.
            for (int length : new int[] {5, 6, 7, 63, 64, 65, 66, 128, 129, 228, 229, 130, MAXIMUM}) {
                int[] text = Arrays.copyOf(tokens, length);
                assertArrayEquals(all.afterLast(text), cached.afterLast(text), "after " + length + " tokens");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "GROUPED",
                "TIED_MULTI_QUERY",
                "SCALED_ROPE",
                "BFLOAT16",
                "LAYER_OPTIONS",
                "NORMS_OF_HEADS",
                "BIASES"
            })
    void generatesTheSameTokens(Case of) {
        try (var opened = new Opened(of);
                var cached = new CachedLogits(opened.model, Integer.MAX_VALUE)) {
            var all = new LogitReader(opened.model);
            for (double temperature : new double[] {0, 1.5}) {
                String text = generate(all, temperature);
                assertEquals(3 + 200, text.length());
                assertEquals(text, generate(cached, temperature));
            }
        }
    }

    /** At the maximum the first token drops out, which changes the position of every other one. */
    @Test
    void generatesTheSameTokensBeyondTheMaximum() {
        try (var opened = new Opened(Case.GROUPED);
                var cached = new CachedLogits(opened.model, 20)) {
            assertEquals(generate(new LogitReader(opened.model, 20), 0), generate(cached, 0));
        }
    }

    @Test
    void generationLeavesNoMemoryBehind() {
        try (var opened = new Opened(Case.GROUPED)) {
            Map<MemoryCategory, Long> before = Map.copyOf(opened.ledger.liveBytes());
            try (var cached = new CachedLogits(opened.model, Integer.MAX_VALUE)) {
                cached.reserve(203);
                Map<MemoryCategory, Long> reserved = Map.copyOf(opened.ledger.liveBytes());
                // 2 layers, keys and values of 2 heads of 16 channels, 203 tokens, FP32.
                assertEquals(
                        before.get(MemoryCategory.ACTIVATIONS) + 4 * (2L * 16 * 203 * 4),
                        reserved.get(MemoryCategory.ACTIVATIONS));
                generate(cached, 1);
                assertEquals(reserved, opened.ledger.liveBytes());
            }
            assertEquals(before, opened.ledger.liveBytes());
        }
    }

    /** Sequences of different lengths share the forward pass of their next token. */
    @Test
    void decodesSeveralSequencesTogether() {
        int[][] texts = {{3, 1, 4, 1, 5}, {9, 2}, {6, 5, 3, 5, 8, 9, 7}};
        try (var opened = new Opened(Case.GROUPED);
                var cache = new KeyValueCache(
                        opened.rank.device(),
                        opened.rank.queue(),
                        opened.model.blocks().layers().attentionCores().attended(),
                        DType.FP32,
                        3,
                        8)) {
            for (int sequence = 0; sequence < texts.length; sequence++) {
                int[] prompt = Arrays.copyOf(texts[sequence], texts[sequence].length - 1);
                forward(opened, cache, new int[][] {prompt}, sequence);
            }
            float[] logits = forward(opened, cache, new int[][] {{texts[2][6]}, {texts[0][4]}}, 2, 0);
            float[] second = forward(opened, cache, new int[][] {{texts[1][1]}}, 1);
            var all = new LogitReader(opened.model);
            assertArrayEquals(all.afterLast(texts[2]), Arrays.copyOf(logits, 97));
            assertArrayEquals(all.afterLast(texts[0]), Arrays.copyOfRange(logits, 97, 2 * 97));
            assertArrayEquals(all.afterLast(texts[1]), second);
            assertEquals(
                    "the KV cache has room for 8 tokens, not for 9",
                    assertThrows(IllegalStateException.class, () -> forward(opened, cache, new int[][] {{1, 2}}, 2))
                            .getMessage());
        }
    }

    @Test
    void rejectsTokensOutsideVocabulary() {
        try (var opened = new Opened(Case.GROUPED);
                var cached = new CachedLogits(opened.model, Integer.MAX_VALUE)) {
            assertEquals(
                    "the text holds token 97, outside the model's vocabulary of 97: use the model's tokenizer for it",
                    assertThrows(DataException.class, () -> cached.afterLast(new int[] {1, 97}))
                            .getMessage());
        }
    }

    /** Logits of all given tokens, [B S, V]. */
    private static float[] forward(Opened opened, KeyValueCache cache, int[][] tokensBS, int... sequences) {
        var model = opened.model;
        int[] positions = Arrays.stream(sequences).map(cache::tokens).toArray();
        float[][] read = new float[1][];
        try (var batch = new DecodeBatch(model.device(), model.queue(), tokensBS, positions);
                Arena arena = Arena.ofConfined()) {
            var context = new MicrobatchContext(model.rankDevice(), batch.batch(), Recompute.NONE, model.lossSum(), 1);
            model.blocks().layers().attentionCores().withOthers(cache.cores(sequences), () -> {
                try (Tensor logitsTV = model.blocks().whole().logits(context)) {
                    MemorySegment host = arena.allocate(logitsTV.byteSize(), 64);
                    model.device().transfer().download(model.queue(), logitsTV, host);
                    model.queue().drain();
                    read[0] = host.toArray(ValueLayout.JAVA_FLOAT);
                }
            });
        }
        cache.advance(tokensBS[0].length, sequences);
        return read[0];
    }

    private static String generate(TokenLogits logits, double temperature) {
        var text = new StringBuilder();
        new TextGenerator(logits, new LetterTokenizer(' ', 97), Set.of())
                .generate("abc", 200, new Sampling(temperature, 0.95), 3, text::append, () -> false);
        return text.toString();
    }
}
