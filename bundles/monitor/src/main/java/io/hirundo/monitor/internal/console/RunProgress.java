package io.hirundo.monitor.internal.console;

import io.hirundo.command.Quantity;
import io.hirundo.command.ShellLine;
import io.hirundo.event.CheckpointEvent.CheckpointBegun;
import io.hirundo.event.CheckpointEvent.CheckpointCopied;
import io.hirundo.event.CheckpointEvent.CheckpointCopying;
import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.event.CheckpointEvent.CheckpointNotCopied;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.CheckpointEvent.CheckpointTakenInPart;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.ChangeRejected;
import io.hirundo.event.TrainingEvent.EvaluationCompleted;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.event.TrainingEvent.ProductsListed;
import io.hirundo.event.TrainingEvent.RunFinished;
import io.hirundo.event.TrainingEvent.RunPaused;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunResumed;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingEvent.StrategiesChanged;
import io.hirundo.train.RunFolder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Formats a run's progress as lines of text. */
final class RunProgress {
    private final Style style;
    private final SwapLines swaps;
    private final LongSupplier nanoClock;
    private final StepAverage average = new StepAverage();
    private final RemainingTime remaining;
    private final Map<String, Double> evaluations = new LinkedHashMap<>();
    private RunPlan plan = new RunPlan(0, 1, 0, 0, 0);
    private Path directory = Path.of("");
    private final Map<Long, Long> stalls = new HashMap<>();
    private long savedStep;
    private long startNanos;
    private double firstLoss = Double.NaN;
    private double lastLoss = Double.NaN;

    RunProgress(Style style, LongSupplier nanoClock) {
        this.style = style;
        this.swaps = new SwapLines(style);
        this.nanoClock = nanoClock;
        this.remaining = new RemainingTime(nanoClock);
    }

    long lastStep() {
        return plan.lastStep();
    }

    /** The line of a completed step. The most important figures come first: 80 columns show up to tokens/s. */
    String step(StepCompleted event) {
        StepMetrics metrics = event.metrics();
        average.add(metrics);
        remaining.on(event);
        if (Double.isNaN(firstLoss)) {
            firstLoss = metrics.loss();
        }
        lastLoss = metrics.loss();
        long peakBytes =
                event.peakBytes().values().stream().mapToLong(Long::longValue).sum();
        return String.join(
                "  ",
                step(event.step()),
                figure("loss", loss(metrics.loss())),
                figure("lr", learningRate(metrics.learningRate())),
                left() + Quantity.compact(average.tokensPerSecond()) + style.faint(" tokens/s"),
                figure("grad norm", Quantity.fixed(metrics.gradientNorm(), 3)),
                Quantity.significant(average.modelTflops()) + style.faint(" TFLOP/s"),
                Quantity.bytes(peakBytes));
    }

    /** With the space that follows it; empty in the first lines. */
    private String left() {
        OptionalLong nanos = remaining.nanos();
        if (nanos.isEmpty()) {
            return "";
        }
        OptionalLong slower = remaining.slowerSince();
        return Quantity.duration(nanos.getAsLong())
                + style.faint(" left" + (slower.isEmpty() ? "" : ", slower since step " + slower.getAsLong())) + "  ";
    }

    /** Formatted as {@code 3.0e-4}, with constant width. */
    private static String learningRate(double rate) {
        return rate == 0
                ? "0"
                : String.format(Locale.ROOT, "%.1e", rate)
                        .replaceFirst("e([+-])0+(?=\\d)", "e$1")
                        .replace("e+", "e");
    }

    /** The permanent line of an event, if it deserves one. */
    Optional<String> permanentLine(TrainingEvent event) {
        remaining.on(event);
        return Optional.ofNullable(
                switch (event) {
                    case RunStarted started -> started(started);
                    case ProductsListed products -> "  " + String.join("\n  ", products.lines());
                    case EvaluationCompleted evaluation -> evaluated(evaluation);
                    case SampleWritten sample -> step(sample.step()) + "  " + new SampleLine(style).of(sample);
                    case CheckpointBegun begun -> begun(begun);
                    case CheckpointSaved saved -> saved(saved);
                    case CheckpointPassedOver passed -> passedOver(passed);
                    case CheckpointTakenInPart part -> takenInPart(part);
                    case CheckpointCopied copied ->
                        copy(
                                copied.step(),
                                "copied in " + Quantity.duration(copied.copyNanos()),
                                copied.bytes(),
                                copied.place());
                    case CheckpointNotCopied missing -> notCopied(missing);
                    case CheckpointCopying copying ->
                        copy(
                                copying.step(),
                                "being copied, " + Quantity.bytes(copying.doneBytes()) + " so far",
                                copying.bytes(),
                                copying.place());
                    case CheckpointFetched fetched ->
                        copy(
                                fetched.step(),
                                "fetched in " + Quantity.duration(fetched.fetchNanos()),
                                fetched.bytes(),
                                fetched.place());
                    case ModelCompared compared -> compared(compared);
                    case StrategiesChanged changed -> step(changed.step()) + "  " + swaps.changed(changed);
                    case ChangeRejected rejected -> step(rejected.step()) + "  " + swaps.rejected(rejected);
                    case AuditFound found -> step(found.step()) + "  " + swaps.audit(found);
                    case RunRolledBack back -> step(back.step()) + "  " + swaps.rolledBack(back);
                    case RunPaused paused -> step(paused.step()) + "  " + swaps.paused(paused);
                    case RunResumed resumed -> step(resumed.step()) + "  " + swaps.resumed(resumed);
                    case RunFinished finished -> finished(finished);
                    default -> null;
                });
    }

    private String started(RunStarted event) {
        plan = event.plan();
        directory = event.directory();
        startNanos = nanoClock.getAsLong();
        return new RunHeader(style).of(event);
    }

    private String evaluated(EvaluationCompleted event) {
        evaluations.put(event.dataset(), event.loss());
        return String.join(
                "  ",
                step(event.step()),
                style.result(event.dataset() + " loss " + Quantity.fixed(event.loss(), 4)),
                figure("perplexity", Quantity.significant(Math.exp(event.loss()))),
                figure("over", Quantity.compact(event.tokens()) + " tokens"));
    }

    private String saved(CheckpointSaved event) {
        savedStep = event.checkpoint().step();
        return String.join(
                "  ",
                step(event.checkpoint().step()),
                (event.checkpoint().isInMemory() ? "checkpoint saved in memory in " : "checkpoint saved in ")
                        + Quantity.duration(event.saveNanos())
                        + stall(event),
                Quantity.bytes(event.checkpoint().bytes()),
                style.faint(event.checkpoint().path().toString()));
    }

    private String passedOver(CheckpointPassedOver event) {
        return step(event.step()) + "  "
                + style.alarm("resumes from here: cannot load " + event.path().getFileName()) + ": " + event.reason();
    }

    private String takenInPart(CheckpointTakenInPart event) {
        String line = step(event.step()) + "  "
                + style.alarm("resumes from part of " + event.path().getFileName());
        String missing = "missing, initialized instead: " + String.join(", ", event.missing());
        String unexpected = "not loaded: " + String.join(", ", event.unexpected());
        return line
                + (event.missing().isEmpty() ? "" : "; " + missing)
                + (event.unexpected().isEmpty() ? "" : "; " + unexpected);
    }

    private String copy(long step, String what, long bytes, String place) {
        return String.join("  ", step(step), "checkpoint " + what, Quantity.bytes(bytes), style.faint(place));
    }

    private String notCopied(CheckpointNotCopied event) {
        return step(event.step()) + "  " + style.alarm("checkpoint not copied to " + event.place()) + ": "
                + event.reason();
    }

    private String compared(ModelCompared event) {
        return String.join(
                "  ",
                step(event.step()),
                "parity check passed (difference " + Quantity.significant(event.difference()) + ", allowed "
                        + Quantity.significant(event.allowed()) + ")",
                style.faint(event.model().toString()));
    }

    /** Announced by the event when the save completes. */
    private String begun(CheckpointBegun event) {
        stalls.put(event.step(), event.stallNanos());
        return null;
    }

    /** Empty if the run waited for the complete save. */
    private String stall(CheckpointSaved event) {
        Long stall = stalls.remove(event.checkpoint().step());
        return stall == null ? "" : " (stall " + Quantity.duration(stall) + ")";
    }

    private String finished(RunFinished event) {
        String what = event.interrupted()
                ? "stopped after step " + event.step() + " of " + plan.lastStep() + ", as requested"
                : isResumed() ? ofResumed(event.step()) : "done, " + event.step() + " steps";
        String losses = Double.isNaN(lastLoss)
                ? ""
                : ": training loss " + Quantity.fixed(firstLoss, 4) + " -> " + loss(lastLoss);
        String validation = evaluations.entrySet().stream()
                .map(entry -> ", " + entry.getKey() + " loss " + Quantity.fixed(entry.getValue(), 4))
                .collect(Collectors.joining());
        return style.strong(what)
                + losses
                + validation
                + ", in "
                + Quantity.duration(nanoClock.getAsLong() - startNanos)
                + (average.isEmpty()
                        ? ""
                        : ", " + ownTokens() + Quantity.compact(average.overallTokensPerSecond()) + " tokens/s"
                                + total(event.step()))
                + (event.interrupted() ? unsavedSteps(event.step()) + resumeCommand() : "");
    }

    private boolean isResumed() {
        return plan.firstStep() > 1;
    }

    /** The steps of this process alone: loss, time and tokens in this line are theirs. */
    private String ofResumed(long step) {
        return average.isEmpty()
                ? "done, no step was left of " + plan.lastStep()
                : "done, " + average.steps() + (average.steps() == 1 ? " step" : " steps") + " after step "
                        + (plan.firstStep() - 1);
    }

    private String ownTokens() {
        return isResumed() ? Quantity.compact(average.allTokens()) + " tokens at " : "";
    }

    private String total(long step) {
        return isResumed()
                ? "; in total " + step + " steps, " + Quantity.compact((double) step * plan.tokensPerStep()) + " tokens"
                : "";
    }

    /** Names the last steps without a saved training state. Saves before this run's first step are unknown here. */
    private String unsavedSteps(long step) {
        long first = Math.max(savedStep + 1, plan.firstStep());
        return first > step ? "" : "\n" + style.alarm("no checkpoint of steps " + first + " to " + step);
    }

    private String resumeCommand() {
        return savedStep == 0
                ? ""
                : "\nto continue from step " + savedStep + ", type: "
                        + ShellLine.of(
                                "train",
                                directory.resolve(RunFolder.CONFIGURATION).toString(),
                                "--resume");
    }

    private String step(long step) {
        int width = Long.toString(plan.lastStep()).length();
        return style.faint("step ")
                + style.strong(String.format(Locale.ROOT, "%" + width + "d", step) + "/" + plan.lastStep());
    }

    private String loss(double loss) {
        String text = Quantity.fixed(loss, 4);
        return Double.isFinite(loss) ? style.strong(text) : style.alarm(text);
    }

    private String figure(String name, String value) {
        return style.faint(name + " ") + value;
    }
}
