package io.hirundo.modelgemma2.internal;

import io.hirundo.DataException;
import io.hirundo.lib.family.DecoderFields;
import io.hirundo.lib.family.Fields;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.RopeFields;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Reads and writes {@code config.json} like the Transformers library's {@code Gemma2Config}, with its defaults. Rejects by name what the
 * architecture {@code gemma2} does not support.
 */
final class Gemma2ConfigJson {
    static final String TYPE = "gemma2";
    private static final String CLASS = "Gemma2ForCausalLM";
    private static final String ACTIVATION = "gelu_pytorch_tanh";
    private final Fields fields;

    private Gemma2ConfigJson(Fields fields) {
        this.fields = fields;
    }

    /**
     * Reads the settings of a file.
     *
     * @param json its content: strings, numbers, booleans, lists and maps
     * @param where the file, for messages
     * @throws DataException names the key that is wrong or not supported
     */
    static Gemma2Options read(Map<String, Object> json, String where) {
        return new Gemma2ConfigJson(new Fields(json, where, DataException::new)).read();
    }

    private Gemma2Options read() {
        int layers = DecoderFields.layers(fields, 26);
        rejectUnsupported(layers);
        int query = fields.whole("num_attention_heads", 1, 8);
        int keyValue = fields.whole("num_key_value_heads", 1, 4);
        if (query % keyValue != 0) {
            throw fields.wrong(
                    "num_key_value_heads",
                    "a divisor of num_attention_heads, " + query + "; where it is left out, it is 4");
        }
        int headDim = fields.whole("head_dim", 1, 256);
        if (headDim % 2 != 0) {
            throw fields.wrong("head_dim", "even");
        }
        return new Gemma2Options(
                fields.whole("vocab_size", 1, 256000),
                fields.whole("hidden_size", 1, 2304),
                fields.whole("intermediate_size", 1, 9216),
                layers,
                query,
                keyValue,
                headDim,
                fields.whole("max_position_embeddings", 1, 8192),
                fields.positive("rms_norm_eps", 1e-6),
                ropeTheta(),
                fields.positive("query_pre_attn_scalar", 256),
                fields.whole("sliding_window", 1, 4096),
                cap("attn_logit_softcapping", 50),
                cap("final_logit_softcapping", 30),
                fields.truth("tie_word_embeddings", true),
                fields.number("initializer_range", 0.02));
    }

    /** Where the key is null, there is no cap; where it is left out, there is. */
    private double cap(String key, double missing) {
        return fields.values().containsKey(key) && !fields.has(key) ? 0 : fields.positive(key, missing);
    }

    private double ropeTheta() {
        Rope rope = RopeFields.read(fields, 10000);
        if (rope.scaling() != null) {
            throw fields.failure()
                    .apply(
                            fields.where()
                                    + ": the rotary embedding is scaled by llama3, but must not be scaled: scalings of Gemma 2 are not supported");
        }
        return rope.theta();
    }

    private void rejectUnsupported(int layers) {
        boolean isOther = fields.get("architectures") instanceof Collection<?> names
                && !names.isEmpty()
                && !names.contains(CLASS);
        if (isOther) {
            throw fields.wrong("architectures", "[\"" + CLASS + "\"]: models with another head are not supported");
        }
        if (!ACTIVATION.equals(fields.text("hidden_activation", ACTIVATION))) {
            throw fields.wrong("hidden_activation", '"' + ACTIVATION + "\": other activations are not supported");
        }
        if (fields.truth("attention_bias", false)) {
            throw fields.wrong("attention_bias", "false: biases are not supported");
        }
        if (fields.truth("use_bidirectional_attention", false)) {
            throw fields.wrong("use_bidirectional_attention", "false: only causal attention is supported");
        }
        if (fields.values().containsKey("sliding_window") && !fields.has("sliding_window")) {
            throw fields.wrong("sliding_window", "a whole number: every second layer has a window");
        }
        if (fields.has("layer_types") && !layerTypes(layers).equals(fields.get("layer_types"))) {
            throw fields.wrong("layer_types", "\"sliding_attention\" and \"full_attention\" in turns, for each layer");
        }
        DecoderFields.rejectUnsupported(fields);
    }

    private static List<String> layerTypes(int layers) {
        return IntStream.range(0, layers)
                .mapToObj(layer -> layer % 2 == 0 ? "sliding_attention" : "full_attention")
                .toList();
    }

    /** The inverse of {@link #read}, in the spelling that versions 4 and 5 of the Transformers library read. */
    static Map<String, Object> write(Gemma2Options options) {
        var heads = Gemma2Sizes.of(options).heads();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("architectures", List.of(CLASS));
        json.put("model_type", TYPE);
        json.put("vocab_size", options.vocabSize());
        json.put("hidden_size", options.hiddenSize());
        json.put("intermediate_size", options.intermediateSize());
        json.put("num_hidden_layers", options.numHiddenLayers());
        json.put("num_attention_heads", heads.query());
        json.put("num_key_value_heads", heads.keyValue());
        json.put("head_dim", heads.dim());
        json.put("hidden_activation", ACTIVATION);
        json.put("max_position_embeddings", options.maxPositionEmbeddings());
        json.put("rms_norm_eps", options.rmsNormEps());
        RopeFields.write(json, new Rope(options.ropeTheta(), null));
        json.put("query_pre_attn_scalar", scalar(options.queryPreAttnScalar()));
        json.put("sliding_window", options.slidingWindow());
        json.put("layer_types", layerTypes(options.numHiddenLayers()));
        json.put(
                "attn_logit_softcapping",
                options.attnLogitSoftcapping() == 0 ? null : (Object) options.attnLogitSoftcapping());
        json.put(
                "final_logit_softcapping",
                options.finalLogitSoftcapping() == 0 ? null : (Object) options.finalLogitSoftcapping());
        json.put("tie_word_embeddings", options.tieWordEmbeddings());
        json.put("initializer_range", options.initializerRange());
        json.put("attention_bias", false);
        json.put("attention_dropout", 0.0);
        json.put("use_cache", true);
        return json;
    }

    /** The Transformers library declares a whole number. */
    private static Object scalar(double value) {
        return value == Math.rint(value) && value <= Integer.MAX_VALUE ? (Object) (int) value : (Object) value;
    }
}
