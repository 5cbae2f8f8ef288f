package org.example.olmo2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
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
class Olmo2FormatTest {
    // Odd and all different: C 12, F 20, H 6, G 2, D 4.
    private static final Olmo2Options SMALL = new Olmo2Options(50, 12, 20, 2, 6, 2, 4, 16, 1e-5, 10000, false, 0.02);
    private static final Olmo2Options TIED = new Olmo2Options(50, 12, 20, 2, 6, 3, 0, 16, 1e-5, 500, true, 0.02);

    private final FamilyFormat<Olmo2Options> format =
            new Olmo2Factory().formats().getFirst();

    @Test
    void readsWhatItWrites() {
        for (Olmo2Options options : List.of(SMALL, TIED, new Olmo2Options())) {
            Map<String, Object> written = format.write(options);
            assertTrue(format.recognizes(written));
            assertEquals(written, format.write(format.read(written, "config.json")));
        }
    }

    @Test
    void storesEveryParameterOnce() {
        for (Olmo2Options options : List.of(SMALL, TIED)) {
            var declared = new TreeMap<String, Long>();
            for (var block : new Olmo2Factory().create(options).describe().blocks()) {
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
        var odd = new Olmo2Options(50, 12, 20, 2, 6, 4, 4, 16, 1e-5, 10000, false, 0.02);
        var failure = assertThrows(ConfigurationException.class, () -> new Olmo2Factory().create(odd));
        assertTrue(failure.getMessage().contains("numKeyValueHeads"), failure.getMessage());
    }
}
