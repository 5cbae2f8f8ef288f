package io.hirundo.regress.internal;

import io.hirundo.command.Interruption;
import io.hirundo.command.Terminal;
import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.regress.internal.golden.Environment;
import io.hirundo.regress.internal.run.CaseProgress;
import io.hirundo.regress.internal.run.CaseRunner;
import io.hirundo.regress.internal.run.EnvironmentReader;
import io.hirundo.regress.internal.set.RegressCase;
import io.hirundo.train.Trainer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.osgi.framework.BundleContext;

/** Runs cases one after the other, each on the full machine. */
final class SetRun {
    private final CaseRunner runner;
    private final BundleContext bundles;
    private final Map<String, CaseRecord> results = new LinkedHashMap<>();
    private Environment environment;

    /** {@code bundles}: the framework's bundle context; null outside of a framework. */
    SetRun(Trainer trainer, Interruption interruption, BundleContext bundles) {
        this.runner = new CaseRunner(trainer, interruption);
        this.bundles = bundles;
    }

    /**
     * Runs the cases.
     *
     * @param seconds recorded duration of each case, if known
     * @param onResult receives each case and its result when it ends
     */
    void run(List<RegressCase> cases, Map<String, Double> seconds, BiConsumer<RegressCase, CaseRecord> onResult) {
        var names = cases.stream().map(RegressCase::name).toList();
        var progress = new CaseProgress(System.err, Terminal.isThere(), System::nanoTime, names, seconds);
        try {
            for (RegressCase each : cases) {
                progress.begin();
                CaseRecord result = runner.run(each, progress);
                results.put(each.name(), result);
                progress.clear();
                onResult.accept(each, result);
            }
        } finally {
            progress.clear();
        }
    }

    /** The result of a case that was run. */
    CaseRecord result(String name) {
        return results.get(name);
    }

    List<CaseRecord> results() {
        return List.copyOf(results.values());
    }

    /** The environment of the first case, cached because the digests of all bundles take time. */
    Environment environment() {
        if (environment == null) {
            environment = EnvironmentReader.read(runner.device(), bundles);
        }
        return environment;
    }
}
