package io.hirundo.checkpointtorch.internal.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyMapTest {
  private static final Path FOLDER = Path.of("folder");

  @ParameterizedTest
  @CsvSource({
    "model.embed_tokens.weight, HUGGING_FACE, ''",
    "model.model.embed_tokens.weight, HUGGING_FACE, model.",
    "state.model.model.embed_tokens.weight, HUGGING_FACE, state.model.",
    "tok_embeddings.weight, TORCHTITAN, ''",
    "model.tok_embeddings.weight, TORCHTITAN, model."
  })
  void aModelIsFoundUnderAnyPrefix(String embedding, Naming naming, String prefix) {
    var names = List.of("optimizer.state." + embedding + ".exp_avg", embedding, "norm.weight");
    assertEquals(new KeyMap(naming, prefix), KeyMap.find(FOLDER, names, null));
    assertEquals(new KeyMap(naming, prefix), KeyMap.find(FOLDER, names, prefix));
  }

  @Test
  void mapsTorchtitanNames() {
    var keys = new KeyMap(Naming.TORCHTITAN, "model.");
    assertEquals("model.layers.12.attention.wq.weight", keys.stored("model.layers.12.self_attn.q_proj.weight"));
    assertEquals("model.layers.0.feed_forward.w3.weight", keys.stored("model.layers.0.mlp.up_proj.weight"));
    assertEquals("model.output.weight", keys.stored("lm_head.weight"));
  }

  @Test
  void rejectsNoModelAndSeveralModels() {
    rejects(List.of("a", "b", "my_tok_embeddings.weight"), null, "holds no Llama: none of its 3 tensors (a, b, my_tok");
    rejects(List.of("tok_embeddings.weight"), "ema.", "holds no Llama under the prefix 'ema.'");
    rejects(
        List.of("tok_embeddings.weight", "ema.tok_embeddings.weight"), null,
        "holds several models, under the prefixes '' and 'ema.'; choose one with the option prefix");
    assertEquals(
        "ema.", KeyMap.find(FOLDER, List.of("tok_embeddings.weight", "ema.tok_embeddings.weight"), "ema.").prefix());
  }

  private static void rejects(List<String> names, String prefix, String message) {
    var rejection = assertThrows(DataException.class, () -> KeyMap.find(FOLDER, names, prefix));
    assertTrue(rejection.getMessage().contains(message), rejection.getMessage());
  }

  /** Two heads of eight channels. */
  @Test
  void permutesRotaryPairsToHalves() {
    var rows = new HeadRows(8);
    assertEquals(
        List.of(0L, 2L, 4L, 6L, 1L, 3L, 5L, 7L, 8L, 10L, 12L, 14L, 9L, 11L, 13L, 15L),
        LongStream.range(0, 16).mapToObj(rows::stored).toList());
  }
}
