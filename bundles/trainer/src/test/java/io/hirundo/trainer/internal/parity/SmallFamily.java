package io.hirundo.trainer.internal.parity;

import io.hirundo.lib.family.OptionsRecord;
import io.hirundo.model.Architecture;
import io.hirundo.modelgemma2.internal.Gemma2Factory;
import io.hirundo.modelgemma2.internal.Gemma2Options;
import io.hirundo.modelqwen.internal.QwenFactory;
import io.hirundo.modelqwen.internal.QwenOptions;
import io.hirundo.modelqwen.internal.QwenType;
import java.util.Map;

/**
 * Small models of other families than Llama. Gemma 2's window is longer than a shard of context parallelism, and shorter than a sequence;
 * its caps are so low that they change scores and logits.
 */
public enum SmallFamily {
    /** Biases of queries, keys and values. */
    QWEN2("qwen"),
    /** Norms of the heads of queries and keys. */
    QWEN3("qwen"),
    /** Always tied. */
    GEMMA2("gemma2");

    private final String architecture;

    SmallFamily(String architecture) {
        this.architecture = architecture;
    }

    Architecture model(int layers, boolean tied) {
        return switch (options(layers, tied)) {
            case QwenOptions qwen -> new QwenFactory().create(qwen);
            case Gemma2Options gemma -> new Gemma2Factory().create(gemma);
            case Record other -> throw new IllegalStateException(other.toString());
        };
    }

    /** What a configuration has as {@code model.architecture}. */
    public Map<String, Object> choice() {
        return Map.of("name", architecture, "options", OptionsRecord.values(options(Layouts.LAYERS, this != QWEN3)));
    }

    private Record options(int layers, boolean tied) {
        return switch (this) {
            case QWEN2 -> qwen(QwenType.QWEN2, layers, tied);
            case QWEN3 -> qwen(QwenType.QWEN3, layers, tied);
            case GEMMA2 ->
                new Gemma2Options(
                        Layouts.VOCABULARY,
                        64,
                        96,
                        layers,
                        8,
                        4,
                        12,
                        Layouts.TOKENS,
                        1e-6,
                        1e4,
                        9,
                        11,
                        0.5,
                        0.5,
                        true,
                        0.02);
        };
    }

    private static QwenOptions qwen(QwenType type, int layers, boolean tied) {
        return new QwenOptions(
                type, Layouts.VOCABULARY, 64, 96, layers, 8, 4, 12, Layouts.TOKENS, 1e-6, 1e6, tied, 0.02, false, 0, 0);
    }
}
