package io.hirundo.trainer.internal.loop;

import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.export.ModelTokenizer;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.record.RunOutput;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import io.hirundo.trainer.internal.strategy.Strategies;

/**
 * Rejects a run that could not write its results, before a device is opened and before the directory contains a run. Directories that
 * vanish later are reported when they are needed.
 */
final class RunPreflight {
  private final RunConfiguration configuration;
  private final Strategies strategies;
  private final RunDirectory directory;

  RunPreflight(RunStrategies strategies, RunDirectory directory) {
    this.configuration = strategies.configuration();
    this.strategies = strategies.strategies();
    this.directory = directory;
  }

  /** {@code events}: listeners that also write files. */
  void require(EventHub events) {
    requireTokenizer();
    requireWritable(events);
  }

  /** Checks the tokenizer, which is saved with the model and decodes samples. */
  private void requireTokenizer() {
    boolean samples = configuration.samples().areOn();
    if (directory.leads() && (configuration.model().export() || samples)) {
      new ModelTokenizer(strategies.data().tokenizer()).requireFor(strategies.model().architecture().describe());
    }
    if (samples) {
      RunSamples.requirePrompts(configuration.samples(), strategies.data().tokenizer().orElseThrow());
    }
  }

  private void requireWritable(EventHub events) {
    var fabric = strategies.parallel().fabric();
    RunOutput.of(directory, configuration).requireWritable(fabric.localRanks(configuration.mesh().mesh()));
    if (directory.leads()) {
      events.requireWritable(directory.path());
    }
  }
}
