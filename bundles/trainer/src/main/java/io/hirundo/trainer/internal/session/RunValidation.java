package io.hirundo.trainer.internal.session;

import io.hirundo.ConfigurationException;
import io.hirundo.trainer.internal.data.RunData;
import io.hirundo.trainer.internal.evaluation.Evaluator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Validation losses of a run as it is now, of its data and of what is watched beside it.
 *
 * @param data that it reads
 */
public record RunValidation(LocalRun run, RunData data) {
  /** Of the data itself. */
  double loss() {
    if (!data.validations().containsKey(RunData.VALIDATION)) {
      throw new ConfigurationException("data.source: the data has no validation part; give its split one");
    }
    return of(RunData.VALIDATION, () -> false).orElseThrow().loss();
  }

  /** By name; without those that have no validation part, and those that were not whole when {@code stop} said so. */
  public Map<String, Evaluator.Result> all(BooleanSupplier stop) {
    var results = new LinkedHashMap<String, Evaluator.Result>();
    data.validations().keySet().forEach(name -> of(name, stop).ifPresent(result -> results.put(name, result)));
    run.resetClock();
    return results;
  }

  private Optional<Evaluator.Result> of(String name, BooleanSupplier stop) {
    return run.onEachRank(part -> part.evaluate(name, stop)).getFirst();
  }

  /** How many {@link #all} finds when it is not stopped. */
  public int count() {
    return data.validations().size();
  }
}
