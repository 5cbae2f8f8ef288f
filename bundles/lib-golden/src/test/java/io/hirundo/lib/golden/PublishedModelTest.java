package io.hirundo.lib.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Published counts follow from the published configuration by the sizes of a decoder's parts, written down once more. */
class PublishedModelTest {
    static List<PublishedModel> models() {
        return Stream.of("model-llama", "model-qwen", "model-gemma2")
                .flatMap(bundle -> PublishedModel.all(Path.of("..", bundle, "src/test/resources")).stream())
                .toList();
    }

    @Test
    void thereAreTwentyNine() {
        assertEquals(29, models().stream().map(PublishedModel::name).distinct().count());
        assertTrue(models().stream().allMatch(model -> model.source().endsWith("/config.json")), models()::toString);
    }

    @ParameterizedTest
    @MethodSource("models")
    void shapesGiveThePublishedCount(PublishedModel model) {
        Map<String, Shape> shapes = shapes(model.configuration());
        assertEquals(
                model.parameters(),
                shapes.values().stream().mapToLong(Shape::elements).sum());
        assertEquals(model.tensors(), shapes.size());
        assertEquals(model.listing(), PublishedModel.listing(shapes));
    }

    private static Map<String, Shape> shapes(Map<String, Object> config) {
        String type = (String) config.get("model_type");
        long hidden = (Long) config.get("hidden_size");
        long inner = (Long) config.get("intermediate_size");
        long heads = (Long) config.get("num_attention_heads");
        long dim = (Long) config.getOrDefault("head_dim", hidden / heads);
        long keys = (Long) config.get("num_key_value_heads") * dim;
        var shapes = new TreeMap<String, Shape>();
        shapes.put("model.embed_tokens.weight", Shape.of((Long) config.get("vocab_size"), hidden));
        shapes.put("model.norm.weight", Shape.of(hidden));
        if (config.getOrDefault("tie_word_embeddings", true) == Boolean.FALSE) {
            shapes.put("lm_head.weight", Shape.of((Long) config.get("vocab_size"), hidden));
        }
        for (long layer = 0; layer < (Long) config.get("num_hidden_layers"); layer++) {
            String at = "model.layers." + layer + ".";
            Map.of("q", heads * dim, "k", keys, "v", keys).forEach((name, rows) -> {
                shapes.put(at + "self_attn." + name + "_proj.weight", Shape.of(rows, hidden));
                if (type.equals("qwen2")) {
                    shapes.put(at + "self_attn." + name + "_proj.bias", Shape.of(rows));
                }
                if (type.equals("qwen3") && !name.equals("v")) {
                    shapes.put(at + "self_attn." + name + "_norm.weight", Shape.of(dim));
                }
            });
            shapes.put(at + "self_attn.o_proj.weight", Shape.of(hidden, heads * dim));
            shapes.put(at + "mlp.gate_proj.weight", Shape.of(inner, hidden));
            shapes.put(at + "mlp.up_proj.weight", Shape.of(inner, hidden));
            shapes.put(at + "mlp.down_proj.weight", Shape.of(hidden, inner));
            shapes.put(at + "input_layernorm.weight", Shape.of(hidden));
            shapes.put(at + "post_attention_layernorm.weight", Shape.of(hidden));
            if (type.equals("gemma2")) {
                shapes.put(at + "pre_feedforward_layernorm.weight", Shape.of(hidden));
                shapes.put(at + "post_feedforward_layernorm.weight", Shape.of(hidden));
            }
        }
        return shapes;
    }
}
