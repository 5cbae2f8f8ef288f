package io.hirundo.regress.mutations;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.regress.internal.RealTrainer;
import io.hirundo.regress.internal.compare.Difference;
import io.hirundo.regress.internal.compare.ResultComparison;
import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.regress.internal.run.CaseProgress;
import io.hirundo.regress.internal.run.CaseRunner;
import io.hirundo.regress.internal.set.RegressCase;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.loop.TrainingLoop;
import io.hirundo.trainer.internal.record.EventBus;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.steer.RunSteering;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Plants a fault in a training run and records which check detects it. */
final class Experiment {
    /** Audited tiles per step, and the number of steps within which the audit must find a fault. */
    static final int AUDIT_RATE = 16;

    static final int AUDIT_STEPS = 100;
    /** Tokens of a microbatch. */
    static final int TOKENS = 64;

    private static final long SWAP_AFTER = 2;
    private static final int REGRESS_STEPS = 3;

    private static final JsonMapper JSON = new JsonMapper();

    private final Path folder;
    private int runs;

    /** {@code folder}: for the runs; the caller removes it. */
    Experiment(Path folder) {
        this.folder = folder;
    }

    /**
     * The result of one check for a fault.
     *
     * @param noticed whether the check detected the fault
     * @param text when and where, or why not
     */
    record Outcome(boolean noticed, String text) {}

    private static Map<String, Object> configuration(Path folder, String name, int steps) {
        var sizes = Map.of(
                "vocabSize",
                96,
                "hiddenSize",
                64,
                "intermediateSize",
                96,
                "numHiddenLayers",
                2,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                2,
                "maxPositionEmbeddings",
                512);
        return Map.of(
                "schemaVersion", 1,
                "run", Map.of("name", name, "directory", folder.toString()),
                "model", noFormat(Map.of("name", "llama", "options", sizes)),
                "training", Map.of("steps", steps, "sequenceTokens", TOKENS, "microBatch", 1, "globalBatch", 4),
                "optimizer", Map.of("name", "adamw", "options", Map.of("epsilon", 1e-3)),
                "learningRate", Map.of("name", "constant", "options", Map.of("peak", 1e-3)),
                "data", Map.of("source", Map.of("name", "synthetic", "options", Map.of("vocabulary", 96))),
                "checkpoint", noStrategy(),
                "evaluation", Map.of("samples", 1),
                "monitors", List.of());
    }

    private static Map<String, Object> noFormat(Map<String, Object> architecture) {
        var section = new HashMap<String, Object>(Map.of("architecture", architecture, "export", false));
        section.put("format", null);
        return section;
    }

    private static Map<String, Object> noStrategy() {
        var section = new HashMap<String, Object>(Map.of("atEnd", false));
        section.put("strategy", null);
        return section;
    }

    /** A swap to the faulty precision. */
    Outcome gate(Fault fault) {
        if (!fault.isSwapped()) {
            return new Outcome(false, fault.unnoticed().gate());
        }
        Offer planted =
                new Offer("precision", "planted", "fault", fault.planted().factory());
        var decision = new CompletableFuture<Decision>();
        train(RealTrainer.strategies(planted), fault.setting(), (int) SWAP_AFTER + 3, (event, steering) -> {
            if (event instanceof TrainingEvent.StepCompleted step && step.step() == SWAP_AFTER) {
                var _ = steering.change(List.of("precision=planted")).thenAccept(decision::complete);
            }
        });
        Decision made = decision.join();
        return made.granted() ? new Outcome(false, fault.unnoticed().gate()) : new Outcome(true, what(made.message()));
    }

    private static String what(String message) {
        int end = message.indexOf(',');
        String first = end < 0 ? message : message.substring(0, end);
        return first.replace("the parity check: ", "").replace(SpoiledPrecision.LAYER, "the layer");
    }

    /** Compares the results of a correct run and of one with the fault. */
    Outcome regress(Fault fault) throws IOException {
        ResultComparison comparison = ResultComparison.of(record(fault), record(fault, fault.planted()));
        if (comparison.isBitwise()) {
            return new Outcome(false, fault.unnoticed().regress());
        }
        List<Difference> first = comparison.first();
        Difference largest = ResultComparison.largest(first);
        String tensor = largest.tensor().isEmpty()
                ? ""
                : " of " + largest.tensor().replace("model.layers.", "").replace(".weight", "");
        return new Outcome(
                true,
                String.format(
                        Locale.ROOT,
                        "step %d: %s%s, %s",
                        largest.step(),
                        largest.kind().words(),
                        tensor,
                        largest.isBeyondNoise()
                                ? String.format(Locale.ROOT, "%.3g times the noise", largest.timesNoise())
                                : "within the noise, not bitwise"));
    }

    private CaseRecord record(Fault fault, Offer... planted) throws IOException {
        var assignments = new ArrayList<>(fault.setting());
        assignments.add("fingerprints.steps=[1, 2, 3]");
        Path file = Files.writeString(
                folder.resolve("regress.yaml"),
                JSON.writeValueAsString(configuration(folder, "regress", REGRESS_STEPS)));
        var progress = new CaseProgress(System.err, false, System::nanoTime, List.of("fault"), Map.of());
        progress.begin();
        return new CaseRunner(RealTrainer.with(planted), new Never())
                .run(new RegressCase("fault", file, assignments, Optional.empty()), progress);
    }

    /** Trains with the fault until the audit finds something. */
    Outcome audit(Fault fault) {
        var assignments = new ArrayList<>(fault.setting());
        assignments.add("audit.rate=" + AUDIT_RATE);
        var found = new ArrayList<TrainingEvent.AuditFound>();
        train(RealTrainer.strategies(fault.planted()), assignments, AUDIT_STEPS, (event, steering) -> {
            if (event instanceof TrainingEvent.AuditFound finding) {
                found.add(finding);
                var _ = steering.stop();
            }
        });
        if (found.isEmpty()) {
            return new Outcome(false, fault.unnoticed().audit());
        }
        TrainingEvent.AuditFound first = found.getFirst();
        return new Outcome(
                true,
                "step " + first.step() + ": " + first.operation() + " of "
                        + first.place().replace(SpoiledPrecision.LAYER, "the layer"));
    }

    @FunctionalInterface
    private interface Heard {
        void on(TrainingEvent event, RunSteering steering);
    }

    private void train(StrategyTable strategies, List<String> assignments, int steps, Heard heard) {
        String name = "run-" + runs++;
        var configuration =
                new ConfigurationBinder(strategies).bind("", configuration(folder, name, steps), assignments);
        try (var chosen = new RunStrategies(strategies, configuration);
                var directory = RunDirectory.open(configuration.run(), false);
                var steering = new RunSteering(name, directory.path(), steps)) {
            var events = new EventBus(chosen::monitors, () -> List.of(event -> heard.on(event, steering)));
            new TrainingLoop(chosen, directory, events, steering, new Never()).run(Optional.empty(), () -> {});
        }
    }

    /** Never interrupts. */
    private static final class Never implements Interruption {
        @Override
        public boolean isRequested() {
            return false;
        }

        @Override
        public Registration onRequest(Runnable action) {
            return () -> {};
        }
    }
}
