package io.hirundo.modelllama.internal;

import io.hirundo.DataException;
import io.hirundo.lib.family.DecoderFields;
import io.hirundo.lib.family.Fields;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.RopeFields;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads {@code config.json} like the Transformers library's {@code LlamaConfig} and {@code MistralConfig}, with their defaults. Rejects by
 * name what the architecture {@code llama} does not support. A Mistral without a sliding window computes the same as a Llama, and
 * is written as one; one with a window is written as a Mistral.
 */
final class LlamaConfigJson {
    static final Set<String> TYPES = Set.of("llama", "mistral");

    private final Fields fields;
    private final boolean isMistral;

    private LlamaConfigJson(Fields fields) {
        this.fields = fields;
        this.isMistral = fields.text("model_type", "").equals("mistral");
    }

    /**
     * Reads the settings of a file.
     *
     * @param json its content: strings, numbers, booleans, lists and maps
     * @param where the file, for messages
     * @throws DataException names the key that is wrong or not supported
     */
    static LlamaOptions read(Map<String, Object> json, String where) {
        return new LlamaConfigJson(new Fields(json, where, DataException::new)).read();
    }

    private LlamaOptions read() {
        rejectUnsupported();
        int vocabulary = fields.whole("vocab_size", 1, 32000);
        int hidden = fields.whole("hidden_size", 1, 4096);
        int intermediate = fields.whole("intermediate_size", 1, isMistral ? 14336 : 11008);
        int layers = DecoderFields.layers(fields, 32);
        int positions = fields.whole("max_position_embeddings", 1, isMistral ? 1 << 17 : 2048);
        int query = fields.whole("num_attention_heads", 1, 32);
        int keyValue = keyValueHeads(query);
        if (!fields.has("head_dim") && hidden % query != 0) {
            throw fields.wrong(
                    "hidden_size", "a multiple of num_attention_heads, " + query + ", where head_dim is not given");
        }
        int headDim = fields.whole("head_dim", 1, hidden / query);
        Rope rope = RopeFields.read(fields, 10000);
        return new LlamaOptions(
                vocabulary,
                hidden,
                intermediate,
                layers,
                query,
                keyValue,
                headDim,
                positions,
                fields.positive("rms_norm_eps", 1e-6),
                rope.theta(),
                scaling(rope.scaling()),
                fields.truth("tie_word_embeddings", false),
                fields.number("initializer_range", 0.02),
                !isMistral && fields.truth("attention_bias", false),
                !isMistral && fields.truth("mlp_bias", false),
                slidingWindow());
    }

    /** Where the key is null, there are as many as query heads; where a Mistral's is left out, 8. */
    private int keyValueHeads(int query) {
        String key = "num_key_value_heads";
        int keyValue = fields.whole(key, 1, isMistral && !fields.values().containsKey(key) ? 8 : query);
        if (query % keyValue != 0) {
            throw fields.wrong(key, "a divisor of num_attention_heads, " + query);
        }
        return keyValue;
    }

    /** Where a Mistral's key is null, there is none; where it is left out, 4096. */
    private int slidingWindow() {
        String key = "sliding_window";
        return isMistral ? fields.whole(key, 1, fields.values().containsKey(key) ? 0 : 4096) : 0;
    }

    private static LlamaRopeScaling scaling(Rope.Scaling scaling) {
        return scaling == null
                ? null
                : new LlamaRopeScaling(
                        scaling.factor(),
                        scaling.lowFreqFactor(),
                        scaling.highFreqFactor(),
                        scaling.originalMaxPositions());
    }

    private void rejectUnsupported() {
        String head = head(isMistral);
        boolean isOther =
                fields.get("architectures") instanceof Collection<?> names && !names.isEmpty() && !names.contains(head);
        if (isOther) {
            throw fields.wrong("architectures", "[\"" + head + "\"]: models with another head are not supported");
        }
        if (!List.of("silu", "swish").contains(fields.text("hidden_act", "silu"))) {
            throw fields.wrong("hidden_act", "\"silu\": other activations are not supported");
        }
        DecoderFields.rejectUnsupported(fields);
    }

    /** The inverse of {@link #read}, in the spelling that versions 4 and 5 of the Transformers library read. */
    static Map<String, Object> write(LlamaOptions options) {
        var heads = LlamaSizes.of(options).heads();
        Map<String, Object> json = new LinkedHashMap<>();
        boolean isMistral = options.slidingWindow() > 0;
        json.put("architectures", List.of(head(isMistral)));
        json.put("model_type", isMistral ? "mistral" : "llama");
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
        RopeFields.write(json, rope(options));
        json.put("tie_word_embeddings", options.tieWordEmbeddings());
        json.put("initializer_range", options.initializerRange());
        json.put("attention_dropout", 0.0);
        if (isMistral) {
            json.put("sliding_window", options.slidingWindow());
        } else {
            json.put("attention_bias", options.attentionBias());
            json.put("mlp_bias", options.mlpBias());
            json.put("pretraining_tp", 1);
        }
        json.put("use_cache", true);
        return json;
    }

    private static String head(boolean isMistral) {
        return isMistral ? "MistralForCausalLM" : "LlamaForCausalLM";
    }

    /** The options of the rotary embedding, as formats know them. */
    static Rope rope(LlamaOptions options) {
        var scaling = options.ropeScaling();
        return new Rope(
                options.ropeTheta(),
                scaling == null
                        ? null
                        : new Rope.Scaling(
                                scaling.factor(),
                                scaling.lowFreqFactor(),
                                scaling.highFreqFactor(),
                                scaling.originalMaxPositionEmbeddings()));
    }
}
