package io.hirundo.modelllama.internal;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tensor names of Meta and torchtitan. */
final class TorchtitanNames {
    private static final Pattern LAYER = Pattern.compile("model\\.layers\\.(\\d+)\\.(.*)(\\.weight|\\.bias)");
    private static final Map<String, String> OF_MODEL = Map.of(
            "model.embed_tokens.weight", "tok_embeddings.weight",
            "model.norm.weight", "norm.weight",
            "lm_head.weight", "output.weight");
    private static final Map<String, String> OF_LAYER = Map.of(
            "input_layernorm", "attention_norm",
            "self_attn.q_proj", "attention.wq",
            "self_attn.k_proj", "attention.wk",
            "self_attn.v_proj", "attention.wv",
            "self_attn.o_proj", "attention.wo",
            "post_attention_layernorm", "ffn_norm",
            "mlp.gate_proj", "feed_forward.w1",
            "mlp.down_proj", "feed_forward.w2",
            "mlp.up_proj", "feed_forward.w3");

    private TorchtitanNames() {}

    /** The stored name of a tensor that is published under Hugging Face's name. */
    static String stored(String published) {
        Matcher layer = LAYER.matcher(published);
        return layer.matches()
                ? "layers." + layer.group(1) + "." + OF_LAYER.get(layer.group(2)) + layer.group(3)
                : OF_MODEL.get(published);
    }
}
