package __package__;

import io.hirundo.DataException;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.family.DecoderFields;
import io.hirundo.lib.family.Fields;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.RopeFields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes {@code config.json}. Keys that are left out mean what they mean in the Transformers library. What the graph does not
 * compute is rejected by name: a model that is read wrongly trains, but badly.
 */
final class __Name__Config {
    /** The value of {@code model_type}: change it to the one that your folders have. */
    static final String MODEL_TYPE = "__name__";

    private __Name__Config() {}

    /**
     * Reads the settings of a file.
     *
     * @param json its content: strings, numbers, booleans, lists and maps
     * @param where the file, for messages
     * @throws DataException names the key that is wrong or not supported
     */
    static __Name__Options read(Map<String, Object> json, String where) {
        var fields = new Fields(json, where, DataException::new);
        DecoderFields.rejectUnsupported(fields);
        if (!List.of("silu", "swish").contains(fields.text("hidden_act", "silu"))) {
            throw fields.wrong("hidden_act", "\"silu\": other activations are not supported");
        }
        Rope rope = RopeFields.read(fields, 10000);
        if (rope.scaling() != null) {
            throw new DataException(where + ": the rotary embedding is scaled, but scalings are not supported");
        }
        var defaults = new __Name__Options();
        int query = fields.whole("num_attention_heads", 1, defaults.numAttentionHeads());
        return new __Name__Options(
                fields.whole("vocab_size", 1, defaults.vocabSize()),
                fields.whole("hidden_size", 1, defaults.hiddenSize()),
                fields.whole("intermediate_size", 1, defaults.intermediateSize()),
                DecoderFields.layers(fields, defaults.numHiddenLayers()),
                query,
                fields.whole("num_key_value_heads", 1, query),
                fields.whole("head_dim", 1, 0),
                fields.whole("max_position_embeddings", 1, defaults.maxPositionEmbeddings()),
                fields.positive("rms_norm_eps", defaults.rmsNormEps()),
                rope.theta(),
                fields.truth("head_norms", defaults.headNorms()),
                fields.truth("tie_word_embeddings", false),
                fields.number("initializer_range", defaults.initializerRange()));
    }

    /** The inverse of {@link #read}. */
    static Map<String, Object> write(__Name__Options options) {
        Heads heads = __Name__Graph.of(options).heads();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("architectures", List.of("__Name__ForCausalLM"));
        json.put("model_type", MODEL_TYPE);
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
        json.put("head_norms", options.headNorms());
        json.put("tie_word_embeddings", options.tieWordEmbeddings());
        json.put("initializer_range", options.initializerRange());
        json.put("attention_dropout", 0.0);
        return json;
    }
}
