package io.hirundo.trainer.internal.session;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.inference.evaluation.Evaluator;
import io.hirundo.trainer.internal.data.RunData;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Validation losses of a run's current model, on its data and on {@code evaluation.watched}.
 *
 * @param data that it reads
 */
public record RunValidation(LocalRun run, RunData data) {
    /** The validation loss on {@code data.source}. */
    double loss() {
        if (!data.validations().containsKey(RunData.VALIDATION)) {
            throw new ConfigurationException("data.source: the data has no validation part; set one in its split");
        }
        return of(RunData.VALIDATION, () -> false).orElseThrow().loss();
    }

    /** Results by name; leaves out data without a validation part, and evaluations that {@code stop} interrupted. */
    public Map<String, Evaluator.Result> all(BooleanSupplier stop) {
        var results = new LinkedHashMap<String, Evaluator.Result>();
        data.validations().keySet().forEach(name -> of(name, stop).ifPresent(result -> results.put(name, result)));
        run.resetClock();
        return results;
    }

    private Optional<Evaluator.Result> of(String name, BooleanSupplier stop) {
        return run.onEachRank(part -> part.evaluate(name, stop)).getFirst();
    }

    /** The number of results of {@link #all} without interruption. */
    public int count() {
        return data.validations().size();
    }
}
