package io.hirundo.trainer.internal.loop;

import io.hirundo.data.DocumentFrame;
import io.hirundo.data.Tokenizer;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.export.ModelTokenizer;
import io.hirundo.trainer.internal.record.EventBus;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.record.RunOutput;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rejects a run that could not write its results, before a device is opened and before the directory contains a run. Directories that
 * vanish later are reported when they are needed.
 */
final class RunPreflight {
    private static final Logger LOG = LoggerFactory.getLogger(RunPreflight.class);

    private final RunConfiguration configuration;
    private final Strategies strategies;
    private final RunDirectory directory;

    RunPreflight(RunStrategies strategies, RunDirectory directory) {
        this.configuration = strategies.configuration();
        this.strategies = strategies.strategies();
        this.directory = directory;
    }

    /** {@code events}: listeners that also write files. */
    void require(EventBus events) {
        requireTokenizer();
        requireWritable(events);
    }

    /** Checks the tokenizer, which is saved with the model and decodes samples. */
    private void requireTokenizer() {
        boolean samples = configuration.samples().areOn();
        if (directory.leads() && (configuration.model().export() || samples)) {
            var data = strategies.data();
            new ModelTokenizer(data.tokenizer(), data.inherited())
                    .requireFor(strategies.model().architecture().describe());
            data.tokenizer().ifPresent(this::compareFrames);
        }
        if (samples) {
            TextSamples.requirePrompts(
                    configuration.samples(), strategies.data().tokenizer().orElseThrow());
        }
    }

    /** Prompts of a model should begin as its documents did. */
    private void compareFrames(Tokenizer tokenizer) {
        var frame = DocumentFrame.of(tokenizer);
        for (DocumentFrame other : strategies.data().source().frames()) {
            if (!other.equals(frame)) {
                LOG.warn(
                        "data.source has documents with {}, but data.tokenizer uses {}: set data.tokenizer.options.bos and eos to what the"
                                + " dataset has, or make the dataset again",
                        words(other),
                        words(frame));
            }
        }
    }

    private static String words(DocumentFrame frame) {
        return "begin " + words(frame.begin()) + " and end " + words(frame.end());
    }

    private static String words(OptionalInt id) {
        return id.isPresent() ? String.valueOf(id.getAsInt()) : "none";
    }

    private void requireWritable(EventBus events) {
        var fabric = strategies.parallel().fabric();
        RunOutput.of(directory, configuration)
                .requireWritable(fabric.localRanks(configuration.mesh().mesh()));
        if (directory.leads()) {
            events.requireWritable(directory.path());
        }
    }
}
