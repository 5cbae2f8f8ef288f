package io.hirundo.modelllama.internal;

import io.hirundo.family.StoredTensor;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Names and shapes of a Llama's tensors, as the Transformers library publishes them. */
final class LlamaTensors {
    /** [V, C]. */
    static final String EMBEDDING = "model.embed_tokens.weight";

    /** [V, C]. */
    static final String HEAD = "lm_head.weight";

    private LlamaTensors() {}

    /**
     * All tensors of a model; the output projection only if it is not tied.
     *
     * @param stored stored name of a published one
     * @param isInterleaved whether the halves of query and key heads are interleaved
     */
    static List<StoredTensor> of(LlamaOptions options, UnaryOperator<String> stored, boolean isInterleaved) {
        var tensors = new ArrayList<StoredTensor>();
        var sizes = LlamaSizes.of(options);
        add(tensors, EMBEDDING, stored, options.vocabSize(), options.hiddenSize());
        for (int layer = 0; layer < options.numHiddenLayers(); layer++) {
            addLayer(
                    tensors,
                    "model.layers." + layer,
                    sizes,
                    stored,
                    isInterleaved ? sizes.heads().dim() : 0);
        }
        add(tensors, "model.norm.weight", stored, options.hiddenSize());
        if (!options.tieWordEmbeddings()) {
            add(tensors, HEAD, stored, options.vocabSize(), options.hiddenSize());
        }
        return tensors;
    }

    /** A tied head that is stored nevertheless. */
    static Map<String, String> copies(LlamaOptions options, UnaryOperator<String> stored) {
        return options.tieWordEmbeddings() ? Map.of(stored.apply(HEAD), stored.apply(EMBEDDING)) : Map.of();
    }

    /** Early versions of the Transformers library stored the rotary frequencies. */
    static boolean isIgnored(String name) {
        return name.endsWith(".rotary_emb.inv_freq");
    }

    private static void addLayer(
            List<StoredTensor> tensors, String layer, LlamaSizes sizes, UnaryOperator<String> stored, int headRows) {
        long hidden = sizes.options().hiddenSize();
        long inner = sizes.options().intermediateSize();
        long queries = (long) sizes.heads().query() * sizes.heads().dim();
        long keys = (long) sizes.heads().keyValue() * sizes.heads().dim();
        boolean attentionBias = sizes.options().attentionBias();
        boolean mlpBias = sizes.options().mlpBias();
        add(tensors, layer + ".input_layernorm.weight", stored, hidden);
        addHeads(tensors, layer + ".self_attn.q_proj.weight", stored, Shape.of(queries, hidden), headRows);
        addBias(tensors, layer + ".self_attn.q_proj.bias", stored, queries, attentionBias);
        addHeads(tensors, layer + ".self_attn.k_proj.weight", stored, Shape.of(keys, hidden), headRows);
        addBias(tensors, layer + ".self_attn.k_proj.bias", stored, keys, attentionBias);
        add(tensors, layer + ".self_attn.v_proj.weight", stored, keys, hidden);
        addBias(tensors, layer + ".self_attn.v_proj.bias", stored, keys, attentionBias);
        add(tensors, layer + ".self_attn.o_proj.weight", stored, hidden, queries);
        addBias(tensors, layer + ".self_attn.o_proj.bias", stored, hidden, attentionBias);
        add(tensors, layer + ".post_attention_layernorm.weight", stored, hidden);
        add(tensors, layer + ".mlp.gate_proj.weight", stored, inner, hidden);
        addBias(tensors, layer + ".mlp.gate_proj.bias", stored, inner, mlpBias);
        add(tensors, layer + ".mlp.up_proj.weight", stored, inner, hidden);
        addBias(tensors, layer + ".mlp.up_proj.bias", stored, inner, mlpBias);
        add(tensors, layer + ".mlp.down_proj.weight", stored, hidden, inner);
        addBias(tensors, layer + ".mlp.down_proj.bias", stored, hidden, mlpBias);
    }

    private static void add(List<StoredTensor> tensors, String path, UnaryOperator<String> stored, long... dims) {
        tensors.add(StoredTensor.of(stored.apply(path), path, Shape.of(dims)));
    }

    private static void addBias(
            List<StoredTensor> tensors, String path, UnaryOperator<String> stored, long channels, boolean isThere) {
        if (isThere) {
            add(tensors, path, stored, channels);
        }
    }

    private static void addHeads(
            List<StoredTensor> tensors, String path, UnaryOperator<String> stored, Shape shape, int headRows) {
        var part = new StoredTensor.Part(path, shape, List.of(0L, 0L), headRows);
        tensors.add(new StoredTensor(stored.apply(path), shape, List.of(part)));
    }
}
