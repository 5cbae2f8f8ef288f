package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.Tokenizer;
import io.hirundo.trainer.internal.fixture.CrookedFormat;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.ToyTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tokenizer that is saved with the model. */
class ModelTokenizerTest {
  private static final int VOCABULARY = 96;

  @TempDir private Path folder;

  private SteeredRun run(ToyTokenizer tokenizer) {
    var run = new SteeredRun(folder).with("training", Map.of("steps", 2, "sequenceTokens", 16, "globalBatch", 4));
    run.catalog.add("tokenizer", "toy", new Fixed<>(Tokenizer.class, tokenizer));
    return run.with(
        "data",
        Map.of("source", Map.of("name", "synthetic", "options", Map.of("vocabulary", VOCABULARY)), "tokenizer", Map.of("name", "toy")));
  }

  private Path model() {
    return folder.resolve("steered").resolve("model");
  }

  @Test
  void isSavedBeforeTheModelAppears() {
    var tokenizer = new ToyTokenizer(VOCABULARY);
    run(tokenizer).model(new CrookedFormat(false, false), null).run();
    assertTrue(Files.exists(model().resolve("config.json")));
    assertTrue(Files.exists(model().resolve(ToyTokenizer.FILE)));
    assertEquals(1, tokenizer.saved.size());
    assertNotEquals(model(), tokenizer.saved.getFirst(), "the model was there before its tokenizer");
  }

  @Test
  void isSavedAfterwardsIfTheFormatHidesItsFolder() {
    run(new ToyTokenizer(VOCABULARY)).model(new CrookedFormat(false, false), null).run();
    var tokenizer = new ToyTokenizer(VOCABULARY);
    var separate = new ModelTokenizer(Optional.of(tokenizer));
    try (ModelReader silent = new CrookedFormat(true, false).open(model())) {
      assertEquals(Optional.empty(), silent.folder());
      separate.saveWith(silent);
    }
    assertEquals(List.of(), tokenizer.saved);
    separate.saveInto(model());
    assertEquals(List.of(model()), tokenizer.saved);
  }

  @Test
  void rejectsARunIfTheTokenizerIsMissing() {
    var tokenizer = new ToyTokenizer(VOCABULARY);
    tokenizer.isMissing = true;
    var run = run(tokenizer).model(new CrookedFormat(false, false), null);
    assertEquals("there is no toy", assertThrows(DataException.class, run::run).getMessage());
    assertEquals(List.of(), run.losses);
    assertFalse(Files.exists(folder.resolve("steered")));
  }

  @Test
  void rejectsATokenizerLargerThanTheModel() {
    var run = run(new ToyTokenizer(VOCABULARY + 1)).model(new CrookedFormat(false, false), null);
    assertEquals(
        "data.tokenizer: it has 97 tokens, but the model's vocabulary has only 96; give the model's tokenizer, or a model of that"
            + " vocabulary",
        assertThrows(ConfigurationException.class, run::run).getMessage());
    assertEquals(List.of(), run.losses);
  }

  @Test
  void acceptsATokenizerSmallerThanTheModel() {
    assertEquals(2, run(new ToyTokenizer(VOCABULARY - 1)).model(new CrookedFormat(false, false), null).run().losses.size());
  }

  @Test
  void isNotNeededWithoutExport() {
    var tokenizer = new ToyTokenizer(VOCABULARY);
    tokenizer.isMissing = true;
    assertEquals(2, run(tokenizer).run().losses.size());
  }

  @Test
  void writesNoModelIfTheTokenizerVanishes() throws IOException {
    var tokenizer = new ToyTokenizer(VOCABULARY);
    var run = run(tokenizer).model(new CrookedFormat(false, false), null).after(2, () -> tokenizer.isGone = true);
    assertEquals("the toy has gone", assertThrows(StorageException.class, run::run).getMessage());
    try (Stream<Path> left = Files.list(folder.resolve("steered"))) {
      assertEquals(List.of(), left.filter(path -> path.getFileName().toString().contains("model")).toList());
    }
  }
}
