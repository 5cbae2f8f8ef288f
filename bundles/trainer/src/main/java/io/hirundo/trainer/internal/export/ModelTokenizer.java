package io.hirundo.trainer.internal.export;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.Tokenizer;
import io.hirundo.model.ModelSpec;
import java.nio.file.Path;
import java.util.Optional;

/** The tokenizer that a model is written with, where there is one: it is in the model's folder when that appears. */
public final class ModelTokenizer {
  private final Optional<Tokenizer> tokenizer;
  private boolean saved;

  public ModelTokenizer(Optional<Tokenizer> tokenizer) {
    this.tokenizer = tokenizer;
  }

  /**
   * Before anything is trained or written that is to have it: the first question reads its files, and it keeps them. It may have
   * fewer tokens than the model, which many models round up.
   *
   * @throws io.hirundo.DataException where it cannot be read
   * @throws ConfigurationException where the model cannot take all of its tokens
   */
  public void requireFor(ModelSpec model) {
    int tokens = tokenizer.map(Tokenizer::vocabularySize).orElse(0);
    if (tokens > model.vocabulary()) {
      throw new ConfigurationException(
          "data.tokenizer: it has " + tokens + " tokens, but the model's vocabulary has only " + model.vocabulary()
              + "; give the model's tokenizer, or a model of that vocabulary");
    }
  }

  /** Puts it beside a model that was written and has not appeared yet. */
  void saveWith(ModelReader written) {
    written.folder().ifPresent(this::save);
  }

  /** Puts it into the folder of a model that has appeared, unless it is there already: not every format has it put in before. */
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
