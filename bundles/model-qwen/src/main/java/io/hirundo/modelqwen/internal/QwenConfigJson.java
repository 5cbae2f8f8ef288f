package io.hirundo.modelqwen.internal;

import io.hirundo.DataException;
import io.hirundo.lib.family.DecoderFields;
import io.hirundo.lib.family.Fields;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.RopeFields;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes {@code config.json} like the Transformers library's {@code Qwen2Config} and {@code Qwen3Config}, with their
 * defaults. Rejects by name what the architecture {@code qwen} does not support.
 */
final class QwenConfigJson {
    private static final String FULL = "full_attention";
    private static final String SLIDING = "sliding_attention";

    private final Fields fields;
    private final QwenType type;

    private QwenConfigJson(Fields fields) {
        this.fields = fields;
        this.type = fields.text("model_type", "").equals(QwenType.QWEN2.modelType()) ? QwenType.QWEN2 : QwenType.QWEN3;
    }

    /**
     * Reads the settings of a file.
     *
     * @param json its content: strings, numbers, booleans, lists and maps
     * @param where the file, for messages
     * @throws DataException names the key that is wrong or not supported
     */
    static QwenOptions read(Map<String, Object> json, String where) {
        return new QwenConfigJson(new Fields(json, where, DataException::new)).read();
    }

    private QwenOptions read() {
        rejectUnsupported();
        int layers = DecoderFields.layers(fields, 32);
        int hidden = fields.whole("hidden_size", 1, 4096);
        int query = fields.whole("num_attention_heads", 1, 32);
        int window = slidingWindow();
        int firstWindow = window == 0 ? layers : firstWindow(layers);
        return new QwenOptions(
                type,
                fields.whole("vocab_size", 1, 151936),
                hidden,
                fields.whole("intermediate_size", 1, 22016),
                layers,
                query,
                keyValueHeads(query),
                headDim(hidden, query),
                fields.whole("max_position_embeddings", 1, 32768),
                fields.positive("rms_norm_eps", 1e-6),
                ropeTheta(),
                fields.truth("tie_word_embeddings", false),
                fields.number("initializer_range", 0.02),
                fields.truth("attention_bias", false),
                firstWindow < layers ? window : 0,
                firstWindow < layers ? firstWindow : 0);
    }

    /** 0 for none. Where the key is null, there is none; where it is left out, 4096. */
    private int slidingWindow() {
        String key = "sliding_window";
        if (!fields.truth("use_sliding_window", false)) {
            return 0;
        }
        return fields.whole(key, 1, fields.values().containsKey(key) ? 0 : 4096);
    }

    /** The first layer with a window: {@code layer_types} of transformers 5, if given, or {@code max_window_layers}. */
    private int firstWindow(int layers) {
        String key = "layer_types";
        if (!(fields.get(key) instanceof List<?> types)) {
            return fields.whole("max_window_layers", 0, 28);
        }
        int first = (int) types.stream().takeWhile(FULL::equals).count();
        if (types.size() != layers || !types.subList(first, layers).stream().allMatch(SLIDING::equals)) {
            throw fields.wrong(
                    key, "\"" + FULL + "\" for the first layers, then \"" + SLIDING + "\", " + layers + " in all");
        }
        return first;
    }

    /** Where the key is null, there are as many as query heads; where it is left out, 32. */
    private int keyValueHeads(int query) {
        String key = "num_key_value_heads";
        int keyValue = fields.whole(key, 1, fields.values().containsKey(key) ? query : 32);
        if (query % keyValue != 0) {
            throw fields.wrong(key, "a divisor of num_attention_heads, " + query + "; where it is left out, it is 32");
        }
        return keyValue;
    }

    /** Qwen 3 has 128 channels where the key is left out. */
    private int headDim(int hidden, int query) {
        if (type == QwenType.QWEN3) {
            return fields.whole("head_dim", 1, 128);
        }
        if (!fields.has("head_dim") && hidden % query != 0) {
            throw fields.wrong(
                    "hidden_size", "a multiple of num_attention_heads, " + query + ", where head_dim is not given");
        }
        return fields.whole("head_dim", 1, hidden / query);
    }

    private double ropeTheta() {
        Rope rope = RopeFields.read(fields, 10000);
        if (rope.scaling() != null) {
            throw fields.failure()
                    .apply(
                            fields.where()
                                    + ": the rotary embedding is scaled by llama3, but must not be scaled: scalings of Qwen are not supported");
        }
        return rope.theta();
    }

    private void rejectUnsupported() {
        boolean isOther = fields.get("architectures") instanceof Collection<?> names
                && !names.isEmpty()
                && !names.contains(type.head());
        if (isOther) {
            throw fields.wrong(
                    "architectures", "[\"" + type.head() + "\"]: models with another head are not supported");
        }
        if (!List.of("silu", "swish").contains(fields.text("hidden_act", "silu"))) {
            throw fields.wrong("hidden_act", "\"silu\": other activations are not supported");
        }
        if (type == QwenType.QWEN2 && fields.truth("attention_bias", false)) {
            throw fields.wrong("attention_bias", "false: the biases of a qwen2 are those of queries, keys and values");
        }
        boolean hasUnusedWindows = slidingWindow() == 0
                && fields.get("layer_types") instanceof Collection<?> types
                && types.stream().anyMatch(each -> !FULL.equals(each));
        if (hasUnusedWindows) {
            throw fields.wrong(
                    "layer_types",
                    "\"" + FULL + "\" for each layer where use_sliding_window is false or sliding_window is null");
        }
        DecoderFields.rejectUnsupported(fields);
    }

    /** The inverse of {@link #read}, in the spelling that versions 4 and 5 of the Transformers library read. */
    static Map<String, Object> write(QwenOptions options) {
        var heads = QwenSizes.of(options).heads();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("architectures", List.of(options.modelType().head()));
        json.put("model_type", options.modelType().modelType());
        json.put("vocab_size", options.vocabSize());
        json.put("hidden_size", options.hiddenSize());
        json.put("intermediate_size", options.intermediateSize());
        json.put("num_hidden_layers", options.numHiddenLayers());
        json.put("num_attention_heads", heads.query());
        json.put("num_key_value_heads", heads.keyValue());
        json.put("head_dim", heads.dim());
        json.put("hidden_act", "silu");
        json.put("max_position_embeddings", options.maxPositionEmbeddings());
        json.put("rms_norm_eps", options.rmsNormEps());
        RopeFields.write(json, new Rope(options.ropeTheta(), null));
        json.put("tie_word_embeddings", options.tieWordEmbeddings());
        json.put("initializer_range", options.initializerRange());
        if (options.modelType() == QwenType.QWEN3) {
            json.put("attention_bias", options.attentionBias());
        }
        json.put("attention_dropout", 0.0);
        boolean hasWindow = options.slidingWindow() > 0;
        json.put("use_sliding_window", hasWindow);
        json.put("sliding_window", hasWindow ? options.slidingWindow() : null);
        json.put("max_window_layers", hasWindow ? options.maxWindowLayers() : options.numHiddenLayers());
        json.put("use_cache", true);
        return json;
    }
}
