package io.hirundo.trainer.internal.export;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.Tokenizer;
import io.hirundo.model.ModelSpec;
import java.nio.file.Path;
import java.util.Optional;

/** The tokenizer that is exported with a model, if there is one. The model's folder appears with it. */
public final class ModelTokenizer {
  private final Optional<Tokenizer> tokenizer;
  private boolean saved;

  public ModelTokenizer(Optional<Tokenizer> tokenizer) {
    this.tokenizer = tokenizer;
  }

  /**
   * Reads and checks the tokenizer before training or export; later calls use the files that the first one read. It may have
   * fewer tokens than the model, because many models round the vocabulary up.
   *
   * @throws io.hirundo.DataException where it cannot be read
   * @throws ConfigurationException when it has more tokens than the model's vocabulary
   */
  public void requireFor(ModelSpec model) {
    int tokens = tokenizer.map(Tokenizer::vocabularySize).orElse(0);
    if (tokens > model.vocabulary()) {
      throw new ConfigurationException(
          "data.tokenizer: it has " + tokens + " tokens, but the model's vocabulary has only " + model.vocabulary()
              + "; give the model's tokenizer, or a model of that vocabulary");
    }
  }

  /** Adds it to a written model before its folder appears. */
  void saveWith(ModelReader written) {
    written.folder().ifPresent(this::save);
  }

  /** Adds it to a model folder that has appeared, unless it is there: some formats cannot add it earlier. */
  void saveInto(Path model) {
    if (!saved) {
      save(model);
    }
  }

  private void save(Path folder) {
    tokenizer.ifPresent(each -> each.save(folder));
    saved = true;
  }
}
