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
import io.hirundo.family.FamilyFormat;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.family.OptionsRecord;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.modelllama.internal.LlamaRopeScaling;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigJsonTest {
    private static final String SCALING =
            "{'factor':8.0,'high_freq_factor':4.0,'low_freq_factor':1.0,'original_max_position_embeddings':8192,'TYPE':'llama3'}";

    /** As it is published with Llama 3.1 8B, less token ids. */
    private static final String LLAMA_31 = """
      {'architectures':['LlamaForCausalLM'],'attention_bias':false,'attention_dropout':0.0,'hidden_act':'silu',
       'hidden_size':4096,'initializer_range':0.02,'intermediate_size':14336,'max_position_embeddings':131072,
       'mlp_bias':false,'model_type':'llama','num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':8,
       'pretraining_tp':1,'rms_norm_eps':1e-05,'rope_scaling':SCALING,'rope_theta':500000.0,
       'tie_word_embeddings':false,'torch_dtype':'bfloat16','transformers_version':'4.43.0','use_cache':true,
       'vocab_size':128256}""";

    private static final LlamaOptions EXPECTED_31 = new LlamaOptions(
            128256,
            4096,
            14336,
            32,
            32,
            8,
            128,
            131072,
            1e-5,
            500000,
            new LlamaRopeScaling(8, 1, 4, 8192),
            false,
            0.02,
            false,
            false,
            0);

    @TempDir
    Path folder;

    @Test
    void readsTheKeysOfTransformers4And5() throws IOException {
        assertEquals(EXPECTED_31, read(LLAMA_31.replace("SCALING", SCALING.replace("TYPE", "rope_type"))));
        assertEquals(EXPECTED_31, read(LLAMA_31.replace("SCALING", SCALING.replace("TYPE", "type"))));
        String parameters = SCALING.replace("TYPE", "rope_type").replace("{'f", "{'rope_theta':500000,'f");
        assertEquals(
                EXPECTED_31,
                read(LLAMA_31.replace(
                        "'rope_scaling':SCALING,'rope_theta':500000.0", "'rope_parameters':" + parameters)));
    }

    @Test
    void readsEverySpellingOfRopeWithoutScaling() throws IOException {
        for (String spelling : new String[] {
            "null",
            "{'rope_type':'default'}",
            "{}",
            "null,'rope_parameters':{'rope_theta':500000.0,'rope_type':'default'}"
        }) {
            LlamaOptions options = read(LLAMA_31.replace("SCALING", spelling));
            assertNull(options.ropeScaling());
            assertEquals(500000, options.ropeTheta());
        }
    }

    @Test
    void missingKeysHaveTheDefaultsOfTransformers() throws IOException {
        var config =
                read("{'model_type':'llama','num_attention_heads':16,'hidden_size':96,'num_key_value_heads':null}");
        assertEquals(
                new LlamaOptions(
                        32000, 96, 11008, 32, 16, 16, 6, 2048, 1e-6, 10000, null, false, 0.02, false, false, 0),
                config);
    }

    @Test
    void readsBiases() throws IOException {
        var attention = read("{'model_type':'llama','attention_bias':true}");
        assertEquals(List.of(true, false), List.of(attention.attentionBias(), attention.mlpBias()));
        var mlp = read("{'model_type':'llama','mlp_bias':true}");
        assertEquals(List.of(false, true), List.of(mlp.attentionBias(), mlp.mlpBias()));
    }

    @Test
    void readsAHeadDimensionAboveItsShare() throws IOException {
        var config = read("{'model_type':'llama','num_attention_heads':16,'hidden_size':96,'head_dim':32}");
        assertEquals(32, config.headDim());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'model_type':'gpt2' | 'model_type' is \"gpt2\", which no installed model family reads (they read: llama, mistral)",
                "'model_type':'mistral','sliding_window':0 | 'sliding_window': 0 is wrong (allowed: a whole number",
                "'model_type':'mistral','sliding_window':null,'architectures':['LlamaForCausalLM'] | 'architectures'",
                "'architectures':['LlamaForSequenceClassification'] | 'architectures'",
                "'attention_bias':1 | 'attention_bias': 1",
                "'mlp_bias':'yes' | 'mlp_bias': \"yes\"",
                "'hidden_act':'gelu' | 'hidden_act': \"gelu\"",
                "'attention_dropout':0.1 | 'attention_dropout': 0.1",
                "'quantization_config':{'quant_method':'fp8'} | 'quantization_config'",
                "'rope_scaling':{'type':'linear','factor':2.0} | 'type': \"linear\"",
                "'rope_scaling':{'rope_type':'yarn','factor':2.0} | 'rope_type': \"yarn\"",
                "'rope_parameters':{'rope_type':'dynamic','factor':2.0} | 'rope_type': \"dynamic\"",
                "'rope_parameters':{'full_attention':{'rope_type':'default','rope_theta':1e6}} | 'full_attention': ",
                "'rope_scaling':{'rope_type':'llama3','factor':2.0} | 'low_freq_factor' is missing",
                "'rope_scaling':7 | 'rope_scaling': 7",
                "'rope_parameters':{'partial_rotary_factor':0.5} | 'partial_rotary_factor': 0.5",
                "'vocab_size':0 | 'vocab_size': 0",
                "'vocab_size':'many' | 'vocab_size': \"many\"",
                "'hidden_size':4096.5 | 'hidden_size': 4096.5",
                "'hidden_size':99999999999 | 'hidden_size': 99999999999",
                "'hidden_size':4097 | 'hidden_size': 4097",
                "'num_key_value_heads':5 | 'num_key_value_heads': 5",
                "'num_hidden_layers':2000000000 | 'num_hidden_layers': 2000000000",
                "'rms_norm_eps':0 | 'rms_norm_eps': 0",
                "'rms_norm_eps':1e999 | field rms_norm_eps is 1e999 (allowed: a finite number)",
                "'tie_word_embeddings':'yes' | 'tie_word_embeddings': \"yes\"",
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

    /** Mistral 7B v0.3, as it is published; and what is left out has the defaults of Mistral's class. */
    @Test
    void readsAMistralWithoutAWindow() throws IOException {
        var expected = new LlamaOptions(
                32768, 4096, 14336, 32, 32, 8, 128, 32768, 1e-5, 1e6, null, false, 0.02, false, false, 0);
        assertEquals(expected, read("""
            {'architectures':['MistralForCausalLM'],'attention_dropout':0.0,'bos_token_id':1,'eos_token_id':2,'hidden_act':'silu',
             'hidden_size':4096,'initializer_range':0.02,'intermediate_size':14336,'max_position_embeddings':32768,
             'model_type':'mistral','num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':8,'rms_norm_eps':1e-05,
             'rope_theta':1000000.0,'sliding_window':null,'tie_word_embeddings':false,'torch_dtype':'bfloat16',
             'transformers_version':'4.42.0','use_cache':true,'vocab_size':32768}"""));
        assertEquals(
                new LlamaOptions(
                        32000, 4096, 14336, 32, 32, 8, 128, 131072, 1e-6, 10000, null, false, 0.02, false, false, 0),
                read("{'model_type':'mistral','sliding_window':null}"));
        assertEquals(
                new LlamaOptions(
                        32000, 4096, 14336, 32, 32, 32, 128, 131072, 1e-6, 10000, null, false, 0.02, false, false, 0),
                read("{'model_type':'mistral','sliding_window':null,'num_key_value_heads':null}"));
    }

    @Test
    void readsTheWindowOfAMistral() throws IOException {
        var first = new LlamaOptions(
                32000, 4096, 14336, 32, 32, 8, 128, 131072, 1e-6, 10000, null, false, 0.02, false, false, 4096);
        assertEquals(first, read("{'model_type':'mistral'}"), "what the library takes where the key is left out");
        assertEquals(first, read("{'model_type':'mistral','sliding_window':4096}"));
    }

    @Test
    void readsItsOwnConfiguration() throws IOException {
        for (boolean tied : new boolean[] {false, true}) {
            var model = FamilyModel.of(TinyLlama.FAMILIES, FamilyFormat.HUGGING_FACE, TinyLlama.architecture(tied));
            Path file = Files.write(folder.resolve("config.json"), ConfigText.of(model.configuration(), DType.BF16));
            assertEquals(TinyLlama.architecture(tied).options(), OptionsRecord.values(read(file)));
        }
        var model = FamilyModel.of(TinyLlama.FAMILIES, FamilyFormat.HUGGING_FACE, choice(EXPECTED_31));
        Path file = Files.write(folder.resolve("config.json"), ConfigText.of(model.configuration(), DType.BF16));
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
        var config = options(new Choice("llama", Map.of("hiddenSize", 64L, "numAttentionHeads", 8, "headDim", 0)));
        assertEquals(
                new LlamaOptions(32000, 64, 11008, 32, 8, 0, 0, 2048, 1e-6, 10000, null, false, 0.02, false, false, 0),
                config);
        assertEquals(config, options(choice(config)));
        assertEquals(EXPECTED_31, options(choice(EXPECTED_31)));
        for (Object wrong : new Object[] {"wide", 1.5, 1L << 40}) {
            assertThrows(ConfigurationException.class, () -> options(new Choice("llama", Map.of("hiddenSize", wrong))));
        }
        assertThrows(ConfigurationException.class, () -> options(new Choice("llama", Map.of("hiddenSizes", 64))));
    }

    private static Choice choice(LlamaOptions options) {
        return new Choice("llama", OptionsRecord.values(options));
    }

    private static LlamaOptions options(Choice choice) {
        return OptionsRecord.bind(LlamaOptions.class, choice.options(), "architecture llama");
    }

    private void rejects(String json, String message) throws IOException {
        var failure = assertThrows(DataException.class, () -> read(json));
        assertTrue(failure.getMessage().startsWith(folder.resolve("config.json").toString()), failure.getMessage());
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
    }

    private LlamaOptions read(String json) throws IOException {
        return read(Files.writeString(folder.resolve("config.json"), json.replace('\'', '"')));
    }

    private static LlamaOptions read(Path file) {
        return options(
                FamilyModel.read(TinyLlama.FAMILIES, FamilyFormat.HUGGING_FACE, Json.readValues(file), file.toString())
                        .choice());
    }
}
