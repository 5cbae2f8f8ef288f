package io.hirundo.trainer.internal.loop;

import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import io.hirundo.data.Tokenizer;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.inference.decode.CachedLogits;
import io.hirundo.lib.inference.sampling.Sampling;
import io.hirundo.lib.inference.sampling.TextGenerator;
import io.hirundo.lib.run.section.SamplesSection;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Generates text samples between two steps ({@code samples}). It only reads weights and has its own random numbers, so losses are bitwise
 * equal to those of a run without samples.
 */
record TextSamples(LocalRun run) {
    private static final Logger LOG = LoggerFactory.getLogger(TextSamples.class);

    /** The same value as in {@code hirundo generate}. */
    private static final double TOP_P = 0.95;

    /**
     * Checks before the first step that each prompt has a token.
     *
     * @throws ConfigurationException if a prompt is empty and the tokenizer has no begin-of-text token
     */
    static void requirePrompts(SamplesSection samples, Tokenizer tokenizer) {
        if (tokenizer.beginOfText().isPresent()) {
            return;
        }
        for (int index = 0; index < samples.prompts().size(); index++) {
            if (tokenizer.encode(samples.prompts().get(index)).length == 0) {
                throw new ConfigurationException("samples.prompts[" + index
                        + "]: is empty, and this tokenizer has no begin-of-text token (allowed: texts of one token"
                        + " or more); give a word");
            }
        }
    }

    /** One sample per prompt, fewer if {@code stop} becomes true. */
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
        // The lease of the strategies owns the tokenizer.
        Tokenizer tokenizer = run.strategies().data().tokenizer().orElseThrow();
        for (String prompt : samples.prompts()) {
            var text = new StringBuilder();
            // Limited to the training sequence length, because the model was not trained on later positions. A cache of
            // its own for each
            // prompt: numbers that are not finite would stay in it.
            try (var logits = new CachedLogits(model, configuration.training().sequenceTokens())) {
                new TextGenerator(
                                logits,
                                tokenizer,
                                TextGenerator.ends(run.strategies().model().notes(), tokenizer))
                        .generate(
                                prompt,
                                samples.tokens(),
                                new Sampling(samples.temperature(), TOP_P),
                                configuration.seed(),
                                text::append,
                                stop);
            } catch (DivergedException diverged) {
                // The loss is finite, so training continues without this sample.
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
