package io.hirundo.checkpointhf.internal.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.checkpointhf.internal.description.ConfigText;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.lib.llama.LlamaChoice;
import io.hirundo.lib.llama.LlamaConfig;
import io.hirundo.lib.llama.LlamaConfigJson;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigJsonTest {
  private static final String SCALING =
      "{'factor':8.0,'high_freq_factor':4.0,'low_freq_factor':1.0,'original_max_position_embeddings':8192,'TYPE':'llama3'}";

  /** As it is published with Llama 3.1 8B, less token ids. */
  private static final String LLAMA_31 =
      """
      {'architectures':['LlamaForCausalLM'],'attention_bias':false,'attention_dropout':0.0,'hidden_act':'silu',
       'hidden_size':4096,'initializer_range':0.02,'intermediate_size':14336,'max_position_embeddings':131072,
       'mlp_bias':false,'model_type':'llama','num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':8,
       'pretraining_tp':1,'rms_norm_eps':1e-05,'rope_scaling':SCALING,'rope_theta':500000.0,
       'tie_word_embeddings':false,'torch_dtype':'bfloat16','transformers_version':'4.43.0','use_cache':true,
       'vocab_size':128256}""";

  private static final LlamaConfig EXPECTED_31 =
      new LlamaConfig(
          new LlamaConfig.Sizes(128256, 4096, 14336, 32, 131072),
          new LlamaConfig.Heads(32, 8, 128),
          new LlamaConfig.Rope(500000, new LlamaConfig.Scaling(8, 1, 4, 8192)),
          1e-5,
          false,
          0.02);

  @TempDir Path folder;

  @Test
  void readsTheKeysOfTransformers4And5() throws IOException {
    assertEquals(EXPECTED_31, read(LLAMA_31.replace("SCALING", SCALING.replace("TYPE", "rope_type"))));
    assertEquals(EXPECTED_31, read(LLAMA_31.replace("SCALING", SCALING.replace("TYPE", "type"))));
    String parameters = SCALING.replace("TYPE", "rope_type").replace("{'f", "{'rope_theta':500000,'f");
    assertEquals(
        EXPECTED_31,
        read(LLAMA_31.replace("'rope_scaling':SCALING,'rope_theta':500000.0", "'rope_parameters':" + parameters)));
  }

  @Test
  void readsEverySpellingOfRopeWithoutScaling() throws IOException {
    for (String spelling :
        new String[] {
          "null", "{'rope_type':'default'}", "{}", "null,'rope_parameters':{'rope_theta':500000.0,'rope_type':'default'}"
        }) {
      var rope = read(LLAMA_31.replace("SCALING", spelling)).rope();
      assertNull(rope.scaling());
      assertEquals(500000, rope.theta());
    }
  }

  @Test
  void missingKeysHaveTheDefaultsOfTransformers() throws IOException {
    var config = read("{'model_type':'llama','num_attention_heads':16,'hidden_size':96,'num_key_value_heads':null}");
    assertEquals(new LlamaConfig.Sizes(32000, 96, 11008, 32, 2048), config.sizes());
    assertEquals(new LlamaConfig.Heads(16, 16, 6), config.heads());
    assertEquals(new LlamaConfig.Rope(10000, null), config.rope());
    assertEquals(1e-6, config.rmsNormEps());
  }

  @Test
  void readsAHeadDimensionAboveItsShare() throws IOException {
    var config = read("{'model_type':'llama','num_attention_heads':16,'hidden_size':96,'head_dim':32}");
    assertEquals(32, config.heads().dim());
    assertEquals(512, config.heads().queryChannels());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'model_type':'mistral' | 'model_type' is \"mistral\"",
        "'architectures':['LlamaForSequenceClassification'] | 'architectures'",
        "'attention_bias':true | 'attention_bias' is true",
        "'mlp_bias':true | 'mlp_bias' is true",
        "'hidden_act':'gelu' | 'hidden_act' is \"gelu\"",
        "'attention_dropout':0.1 | 'attention_dropout' is 0.1",
        "'quantization_config':{'quant_method':'fp8'} | 'quantization_config'",
        "'rope_scaling':{'type':'linear','factor':2.0} | 'type' is \"linear\"",
        "'rope_scaling':{'rope_type':'yarn','factor':2.0} | 'rope_type' is \"yarn\"",
        "'rope_parameters':{'rope_type':'dynamic','factor':2.0} | 'rope_type' is \"dynamic\"",
        "'rope_scaling':{'rope_type':'llama3','factor':2.0} | 'low_freq_factor' is missing",
        "'rope_scaling':7 | 'rope_scaling' is 7",
        "'rope_parameters':{'partial_rotary_factor':0.5} | 'partial_rotary_factor' is 0.5",
        "'vocab_size':0 | 'vocab_size' is 0",
        "'vocab_size':'many' | 'vocab_size' is \"many\"",
        "'hidden_size':4096.5 | 'hidden_size' is 4096.5",
        "'hidden_size':99999999999 | 'hidden_size' is 99999999999",
        "'hidden_size':4097 | 'hidden_size' is 4097",
        "'num_key_value_heads':5 | 'num_key_value_heads' is 5",
        "'num_hidden_layers':2000000000 | 'num_hidden_layers' is 2000000000",
        "'rms_norm_eps':0 | 'rms_norm_eps' is 0",
        "'rms_norm_eps':1e999 | field rms_norm_eps is 1e999 (allowed: a finite number)",
        "'tie_word_embeddings':'yes' | 'tie_word_embeddings' is \"yes\"",
      })
  void rejectsUnsupportedOperationsByName(String field, String message) throws IOException {
    String json = "{" + field + (field.contains("model_type") ? "" : ",'model_type':'llama'") + "}";
    rejects(json, message);
  }

  @Test
  void rejectsInvalidConfigurations() throws IOException {
    rejects("{}", "'model_type'");
    rejects("[]", " is a list (allowed: an object)");
    rejects("{'model_type':'llama'", "is not valid JSON");
    rejects("{'model_type':'llama','model_type':'llama'}", "field model_type is there twice");
    var missing = assertThrows(DataException.class, () -> read(folder.resolve("none.json")));
    assertTrue(missing.getMessage().contains("none.json is missing"), missing.getMessage());
  }

  @Test
  void readsItsOwnConfiguration() throws IOException {
    for (boolean tied : new boolean[] {false, true}) {
      LlamaConfig config = LlamaChoice.read(TinyLlama.architecture(tied));
      Path file = Files.write(folder.resolve("config.json"), ConfigText.of(config, DType.BF16));
      assertEquals(config, read(file));
    }
    Path file = Files.write(folder.resolve("config.json"), ConfigText.of(EXPECTED_31, DType.BF16));
    assertEquals(EXPECTED_31, read(file));
    String text = Files.readString(file);
    assertTrue(text.contains("\"LlamaForCausalLM\""), text);
    assertTrue(text.contains("\"torch_dtype\" : \"bfloat16\""), text);
    assertTrue(text.contains("\"rope_type\" : \"llama3\""), text);
    // The strict types of version 5 reject an integer where they expect a float.
    assertTrue(text.contains("\"factor\" : 8.0"), text);
  }

  @Test
  void readsOptionsAsTheArchitectureDoes() {
    var config = LlamaChoice.read(new Choice("llama", Map.of("hiddenSize", 64L, "numAttentionHeads", 8, "headDim", 0)));
    assertEquals(new LlamaConfig.Heads(8, 8, 8), config.heads());
    assertEquals(config, LlamaChoice.read(LlamaChoice.of(config)));
    assertEquals(EXPECTED_31, LlamaChoice.read(LlamaChoice.of(EXPECTED_31)));
    var wrong = new Choice("llama", Map.of("hiddenSize", "wide"));
    assertThrows(ConfigurationException.class, () -> LlamaChoice.read(wrong));
  }

  private void rejects(String json, String message) throws IOException {
    var failure = assertThrows(DataException.class, () -> read(json));
    assertTrue(failure.getMessage().startsWith(folder.resolve("config.json").toString()), failure.getMessage());
    assertTrue(failure.getMessage().contains(message), failure.getMessage());
  }

  private LlamaConfig read(String json) throws IOException {
    return read(Files.writeString(folder.resolve("config.json"), json.replace('\'', '"')));
  }

  private static LlamaConfig read(Path file) {
    return LlamaConfigJson.read(Json.readValues(file), file.toString());
  }
}
