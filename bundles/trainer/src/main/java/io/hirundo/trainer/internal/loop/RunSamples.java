package io.hirundo.trainer.internal.loop;

import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import io.hirundo.data.Tokenizer;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.trainer.internal.config.SamplesSection;
import io.hirundo.trainer.internal.evaluation.LogitReader;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.sampling.Sampling;
import io.hirundo.trainer.internal.sampling.TextGenerator;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the model of a run writes between two steps ({@code samples}). Only reads weights, and draws from random numbers of its own:
 * losses are bitwise those of a run without samples.
 */
record RunSamples(LocalRun run) {
  private static final Logger LOG = LoggerFactory.getLogger(RunSamples.class);

  /** As {@code hirundo generate} has it. */
  private static final double TOP_P = 0.95;

  /**
   * Before the first step: whether a text can begin with each prompt.
   *
   * @throws ConfigurationException where one has no token to continue from
   */
  static void requirePrompts(SamplesSection samples, Tokenizer tokenizer) {
    if (tokenizer.beginOfText().isPresent()) {
      return;
    }
    for (int index = 0; index < samples.prompts().size(); index++) {
      if (tokenizer.encode(samples.prompts().get(index)).length == 0) {
        throw new ConfigurationException(
            "samples.prompts[" + index + "]: is empty, and this tokenizer has no begin-of-text token (allowed: texts of one token"
                + " or more); give a word");
      }
    }
  }

  /** One for each prompt, fewer when {@code stop} says so. */
  List<SampleWritten> write(BooleanSupplier stop) {
    if (!run.device().computes()) {
      return List.of();
    }
    var written = new ArrayList<SampleWritten>();
    run.onEachRank(part -> written.addAll(write(part.model(), stop)));
    run.resetClock();
    return written;
  }

  private List<SampleWritten> write(RankModel model, BooleanSupplier stop) {
    var configuration = run.configuration();
    var samples = configuration.samples();
    var written = new ArrayList<SampleWritten>();
    // The lease of the strategies keeps the tokenizer: whoever made it closes it.
    Tokenizer tokenizer = run.strategies().data().tokenizer().orElseThrow();
    // Beyond the training's sequences the model has seen no position.
    var generator = new TextGenerator(new LogitReader(model, configuration.training().sequenceTokens()), tokenizer);
    for (String prompt : samples.prompts()) {
      var text = new StringBuilder();
      try {
        generator.generate(
            prompt, samples.tokens(), new Sampling(samples.temperature(), TOP_P), configuration.seed(), text::append, stop);
      } catch (DivergedException diverged) {
        // The loss is finite, or the run would have ended: a sample is not worth the run.
        LOG.warn("step {}: no sample: {}", run.stepsDone(), diverged.getMessage());
        continue;
      }
      if (!stop.getAsBoolean()) {
        written.add(new SampleWritten(run.stepsDone(), prompt, text.substring(prompt.length())));
      }
    }
    return written;
  }
}
