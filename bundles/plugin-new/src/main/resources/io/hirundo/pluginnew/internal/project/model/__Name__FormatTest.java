package __package__;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.lib.golden.GoldenTensor;
import io.hirundo.lib.golden.PlainDecoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The format of models. Where the Transformers library has your family, extend {@code io.hirundo.lib.golden.FamilyGoldens} too: it
 * compares options, tensors and logits with folders that the library saved.
 */
class __Name__FormatTest {
    // Odd and all different: C 12, F 20, H 6, G 2, D 4.
    private static final __Name__Options SMALL =
            new __Name__Options(50, 12, 20, 2, 6, 2, 4, 16, 1e-5, 10000, true, false, 0.02);
    private static final __Name__Options TIED =
            new __Name__Options(50, 12, 20, 2, 6, 3, 0, 16, 1e-5, 500, false, true, 0.02);
    private static final int[] TOKENS = {3, 49, 0, 17, 17};

    private final FamilyFormat<__Name__Options> format =
            new __Name__Factory().formats().getFirst();

    @Test
    void readsWhatItWrites() {
        for (__Name__Options options : List.of(SMALL, TIED, new __Name__Options())) {
            Map<String, Object> written = format.write(options);
            assertTrue(format.recognizes(written));
            assertEquals(written, format.write(format.read(written, "config.json")));
        }
    }

    @Test
    void storesEveryParameterOnce() {
        for (__Name__Options options : List.of(SMALL, TIED)) {
            var declared = new TreeMap<String, Long>();
            for (var block : new __Name__Factory().create(options).describe().blocks()) {
                block.layers()
                        .forEach(layer -> layer.weights()
                                .forEach(w ->
                                        declared.put(w.path(), w.globalShape().elements())));
            }
            var stored = new TreeMap<String, Long>();
            for (StoredTensor tensor : format.tensors(options)) {
                tensor.parts()
                        .forEach(part -> assertEquals(
                                null, stored.put(part.path(), part.shape().elements()), part::path));
            }
            assertEquals(declared, stored);
        }
    }

    /** {@link PlainDecoder} knows families by {@code model_type}; this one computes what a Llama with head norms does. */
    @Test
    void referenceComputesWhatAnIndependentDecoderDoes() {
        for (__Name__Options options : List.of(SMALL, TIED)) {
            Map<String, GoldenTensor> weights = GoldenTensor.random(format.tensors(options), 1);
            Map<String, Object> config = new HashMap<>(format.write(options));
            config.put("model_type", "llama");
            double[][] expected = new PlainDecoder(config, weights).logits(TOKENS);
            double[][] logits = format.referenceLogits(options, GoldenTensor.stored(weights), TOKENS);
            for (int position = 0; position < TOKENS.length; position++) {
                assertArrayEquals(expected[position], logits[position], 1e-12);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hidden_act=gelu", "quantization_config=x", "rope_theta=-1", "num_hidden_layers=0"})
    void rejectsByNameWhatItDoesNotCompute(String field) {
        String key = field.substring(0, field.indexOf('='));
        Map<String, Object> config = new HashMap<>(format.write(SMALL));
        String value = field.substring(key.length() + 1);
        config.put(key, value.matches("-?\\d+") ? Long.valueOf(value) : value);
        var failure = assertThrows(DataException.class, () -> format.read(config, "config.json"));
        assertTrue(failure.getMessage().contains(key), failure.getMessage());
    }

    @Test
    void rejectsOptionsThatCannotMakeAModel() {
        var odd = new __Name__Options(50, 12, 20, 2, 6, 4, 4, 16, 1e-5, 10000, true, false, 0.02);
        var failure = assertThrows(ConfigurationException.class, () -> new __Name__Factory().create(odd));
        assertTrue(failure.getMessage().contains("numKeyValueHeads"), failure.getMessage());
    }
}
