package io.hirundo.modelqwen.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.lib.golden.ModelGolden;
import io.hirundo.lib.golden.PublishedModel;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class QwenFormatTest {
  private static final Path RESOURCES = Path.of("src/test/resources");
  private static final QwenHuggingFace FORMAT = new QwenHuggingFace();

  private static QwenOptions small(QwenType type, boolean tied) {
    return new QwenOptions(type, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 1e6, tied, 0.03);
  }

  /** The format lists exactly the parameters that the architecture declares. */
  @ParameterizedTest
  @EnumSource
  void storesEveryParameterOfTheArchitecture(QwenType type) {
    for (boolean tied : new boolean[] {false, true}) {
      Map<String, Shape> declared = new TreeMap<>();
      new QwenFactory()
          .create(small(type, tied))
          .describe()
          .blocks()
          .forEach(
              block -> block.layers().forEach(layer -> layer.weights().forEach(weight -> declared.put(weight.path(), weight.globalShape()))));
      Map<String, Shape> stored = new TreeMap<>();
      FORMAT.tensors(small(type, tied)).forEach(tensor -> tensor.parts().forEach(part -> stored.put(part.path(), part.shape())));
      assertEquals(declared, stored);
      assertEquals(type == QwenType.QWEN2, stored.containsKey("model.layers.1.self_attn.k_proj.bias"));
      assertEquals(type == QwenType.QWEN3, stored.containsKey("model.layers.1.self_attn.k_norm.weight"));
      assertEquals(tied ? Map.of("lm_head.weight", "model.embed_tokens.weight") : Map.of(), FORMAT.copies(small(type, tied)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void readsTheConfigurationThatItWrites(QwenType type) {
    for (boolean tied : new boolean[] {false, true}) {
      var configuration = FORMAT.write(small(type, tied));
      assertTrue(FORMAT.recognizes(configuration));
      assertEquals(small(type, tied), FORMAT.read(configuration, "here"));
    }
  }

  private static Stream<ModelGolden> goldens() {
    return ModelGolden.all(RESOURCES).stream();
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void readsBothFormsOfTheConfiguration(ModelGolden golden) {
    var five = golden.configuration(ModelGolden.ConfigForm.TRANSFORMERS_5);
    var four = golden.configuration(ModelGolden.ConfigForm.TRANSFORMERS_4);
    assertFalse(four.containsKey("rope_parameters"), four::toString);
    assertEquals(FORMAT.read(five, "five"), FORMAT.read(four, "four"));
  }

  @Test
  void readsThePublishedSizesOfTheDefaults() {
    PublishedModel smallest = PublishedModel.all(RESOURCES).stream().filter(each -> each.name().equals("Qwen 3 0.6B")).findFirst().orElseThrow();
    assertEquals(new QwenOptions(), FORMAT.read(smallest.configuration(), "here"));
  }

  /** Those of {@code Qwen2Config} and {@code Qwen3Config}. */
  @Test
  void missingKeysHaveTheDefaultsOfTransformers() {
    assertEquals(
        new QwenOptions(QwenType.QWEN2, 151936, 4096, 22016, 32, 32, 32, 128, 32768, 1e-6, 10000, false, 0.02),
        FORMAT.read(Map.of("model_type", "qwen2"), "here"));
    assertEquals(
        new QwenOptions(QwenType.QWEN3, 151936, 1024, 22016, 32, 64, 32, 128, 32768, 1e-6, 10000, false, 0.02),
        FORMAT.read(Map.of("model_type", "qwen3", "hidden_size", 1024L, "num_attention_heads", 64L), "here"));
    var asMany = new HashMap<String, Object>(Map.of("model_type", "qwen2", "num_attention_heads", 16L));
    asMany.put("num_key_value_heads", null);
    assertEquals(16, FORMAT.read(asMany, "here").numKeyValueHeads());
  }

  private static Stream<Arguments> unsupported() {
    return Stream.of(
        Arguments.of("architectures", List.of("Qwen3ForSequenceClassification"), "'architectures' is "),
        Arguments.of("hidden_act", "gelu", "'hidden_act' is \"gelu\""),
        Arguments.of("attention_bias", true, "'attention_bias' is true"),
        Arguments.of("use_sliding_window", true, "'use_sliding_window' is true"),
        Arguments.of("layer_types", List.of("full_attention", "sliding_attention"), "'layer_types' is "),
        Arguments.of("attention_dropout", 0.1, "'attention_dropout' is 0.1"),
        Arguments.of("quantization_config", Map.of("quant_method", "awq"), "'quantization_config' is set"),
        Arguments.of("rope_scaling", Map.of("rope_type", "yarn", "factor", 4.0), "'rope_type' is \"yarn\""),
        Arguments.of(
            "rope_scaling",
            Map.of(
                "rope_type", "llama3", "factor", 8.0, "low_freq_factor", 1.0, "high_freq_factor", 4.0, "original_max_position_embeddings", 8192L),
            "scaled by llama3"),
        Arguments.of("num_key_value_heads", 3L, "'num_key_value_heads' is 3"),
        Arguments.of("num_hidden_layers", 2_000_000L, "'num_hidden_layers' is 2000000"),
        Arguments.of("vocab_size", "many", "'vocab_size' is \"many\""));
  }

  @ParameterizedTest
  @MethodSource("unsupported")
  void rejectsWhatItDoesNotComputeByName(String key, Object value, String message) {
    for (QwenType type : QwenType.values()) {
      var configuration = new HashMap<>(FORMAT.write(small(type, false)));
      configuration.put(key, value);
      var rejection = assertThrows(DataException.class, () -> FORMAT.read(configuration, "model/config.json"));
      assertTrue(rejection.getMessage().startsWith("model/config.json: ") && rejection.getMessage().contains(message), rejection.getMessage());
    }
  }

  @Test
  void recognizesNoMixtures() {
    assertFalse(FORMAT.recognizes(Map.of("model_type", "qwen3_moe")));
    assertFalse(FORMAT.recognizes(Map.of("model_type", "llama")));
    assertFalse(FORMAT.recognizes(Map.of()));
  }

  @Test
  void rejectsImpossibleOptions() {
    rejects(new QwenOptions(null, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 1e6, true, 0.03), "modelType is null, but must be qwen2 or qwen3");
    rejects(
        new QwenOptions(QwenType.QWEN3, 61, 24, 38, 2, 4, 3, 10, 64, 1e-6, 1e6, true, 0.03),
        "numKeyValueHeads is 3, but must be a divisor of numAttentionHeads, 4, or 0 for as many");
    rejects(new QwenOptions(QwenType.QWEN3, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 0, true, 0.03), "ropeTheta is 0.0, but must be above 0");
  }

  private static void rejects(QwenOptions options, String message) {
    var rejection = assertThrows(ConfigurationException.class, () -> new QwenFactory().create(options));
    assertEquals("architecture qwen: " + message, rejection.getMessage());
  }
}
