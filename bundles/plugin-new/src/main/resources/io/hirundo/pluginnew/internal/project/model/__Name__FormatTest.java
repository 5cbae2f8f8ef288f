package __package__;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.lib.golden.GoldenTensor;
import io.hirundo.lib.golden.PlainDecoder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
  private static final __Name__Options SMALL = new __Name__Options(50, 12, 20, 2, 6, 2, 4, 16, 1e-5, 10000, true, false, 0.02);
  private static final __Name__Options TIED = new __Name__Options(50, 12, 20, 2, 6, 3, 0, 16, 1e-5, 500, false, true, 0.02);
  private static final int[] TOKENS = {3, 49, 0, 17, 17};

  private final FamilyFormat<__Name__Options> format = new __Name__Factory().formats().getFirst();

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
        block.layers().forEach(layer -> layer.weights().forEach(w -> declared.put(w.path(), w.globalShape().elements())));
      }
      var stored = new TreeMap<String, Long>();
      for (StoredTensor tensor : format.tensors(options)) {
        tensor.parts().forEach(part -> assertEquals(null, stored.put(part.path(), part.shape().elements()), part::path));
      }
      assertEquals(declared, stored);
    }
  }

  /** {@link PlainDecoder} knows families by {@code model_type}; this one computes what a Llama with head norms does. */
  @Test
  void referenceComputesWhatAnIndependentDecoderDoes() {
    for (__Name__Options options : List.of(SMALL, TIED)) {
      Map<String, GoldenTensor> weights = randomWeights(options);
      var config = new HashMap<>(format.write(options));
      config.replaceAll((key, value) -> value instanceof Integer whole ? Long.valueOf(whole) : value);
      config.put("model_type", "llama");
      double[][] expected = new PlainDecoder(config, weights).logits(TOKENS);
      double[][] logits = format.referenceLogits(options, values(weights), TOKENS);
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

  private Map<String, GoldenTensor> randomWeights(__Name__Options options) {
    var random = new Random(1);
    var weights = new TreeMap<String, GoldenTensor>();
    for (StoredTensor tensor : format.tensors(options)) {
      double[] values = random.doubles(tensor.shape().elements(), -0.5, 0.5).toArray();
      weights.put(tensor.name(), new GoldenTensor(tensor.shape(), values));
    }
    return weights;
  }

  private static StoredValues values(Map<String, GoldenTensor> weights) {
    return (name, first, count) -> {
      GoldenTensor tensor = weights.get(name);
      int row = Math.toIntExact(tensor.shape().elements() / tensor.shape().dim(0));
      return Arrays.copyOfRange(tensor.values(), (int) first * row, ((int) first + count) * row);
    };
  }
}
