package io.hirundo.trainer.internal.export;

import io.hirundo.ConfigurationException;
import io.hirundo.HirundoException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.Tokenizer;
import io.hirundo.model.ModelSpec;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tokenizer that is exported with a model, if there is one. The model's folder appears with it. */
public final class ModelTokenizer {
    private static final Logger LOG = LoggerFactory.getLogger(ModelTokenizer.class);

    private final Optional<Tokenizer> tokenizer;
    private Optional<Tokenizer> inherited;
    private boolean saved;

    /**
     * @param tokenizer of the configuration
     * @param inherited that of the model which the run started from; exported where the first one is empty
     */
    public ModelTokenizer(Optional<Tokenizer> tokenizer, Optional<Tokenizer> inherited) {
        this.tokenizer = tokenizer;
        this.inherited = tokenizer.isPresent() ? Optional.empty() : inherited;
    }

    /**
     * Reads and checks the tokenizer before training or export; later calls use the files that the first one read. It may have
     * fewer tokens than the model, because many models round the vocabulary up. An inherited tokenizer that cannot be exported is logged
     * and left out.
     *
     * @throws io.hirundo.DataException where it cannot be read
     * @throws ConfigurationException when it has more tokens than the model's vocabulary
     */
    public void requireFor(ModelSpec model) {
        inherited.ifPresent(each -> unusable(each, model).ifPresent(reason -> {
            LOG.warn(
                    "the exported model will have no tokenizer, because that of model.from cannot be used: {}; set data.tokenizer",
                    reason);
            inherited = Optional.empty();
        }));
        int tokens = tokenizer.map(Tokenizer::vocabularySize).orElse(0);
        if (tokens > model.vocabulary()) {
            throw new ConfigurationException(
                    "data.tokenizer: it has " + tokens + " tokens, but the model's vocabulary has only "
                            + model.vocabulary() + "; give the model's tokenizer, or a model of that vocabulary");
        }
    }

    private static Optional<String> unusable(Tokenizer tokenizer, ModelSpec model) {
        try {
            int tokens = tokenizer.vocabularySize();
            return tokens <= model.vocabulary()
                    ? Optional.empty()
                    : Optional.of(
                            "it has " + tokens + " tokens, but the model's vocabulary has only " + model.vocabulary());
        } catch (HirundoException unreadable) {
            return Optional.of(unreadable.getMessage());
        }
    }

    /** Leaves out an inherited tokenizer that {@link #requireFor} has rejected in an earlier object. */
    ModelTokenizer usableFor(ModelSpec model) {
        inherited = inherited.filter(each -> unusable(each, model).isEmpty());
        return this;
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
        tokenizer.or(() -> inherited).ifPresent(each -> each.save(folder));
        saved = true;
    }
}
