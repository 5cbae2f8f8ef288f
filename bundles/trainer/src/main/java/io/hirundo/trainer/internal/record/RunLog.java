package io.hirundo.trainer.internal.record;

import io.hirundo.StorageException;
import io.hirundo.device.KernelTimes;
import io.hirundo.event.CheckpointEvent;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.files.RealFolders;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.output.OutputChannels;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.audit.reaction.AuditReaction;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A rank's {@code log.txt}: one line per event, prefixed with time and rank; stack traces follow their line. Monitors record
 * steps. The file is opened for each line, since lines are few.
 */
public final class RunLog implements TrainingListener {
    private static final int LONGEST_KERNELS = 5;

    private final Path file;
    private final int rank;

    /** Appends to the file, and creates its folder if needed. */
    public RunLog(Path file, int rank) {
        this.file = file;
        this.rank = rank;
        try {
            Files.createDirectories(file.getParent());
            RealFolders.require(file.getParent());
        } catch (IOException failure) {
            throw unwritable(failure);
        }
    }

    /**
     * Logs the choices of the configuration at the start.
     *
     * @param data description by the data source
     * @param place of the rank in the mesh, and its part of the model
     */
    public void strategies(RunConfiguration configuration, String data, String place) {
        var model = configuration.model();
        line("model " + (model.from() == null ? words(model.architecture()) : "from " + model.from()));
        line("device " + words(configuration.device()) + ", precision " + words(configuration.precision()));
        line("mesh " + JsonText.compact(Trees.of(configuration.mesh())));
        line("place " + place);
        line("optimizer " + words(configuration.optimizer()) + ", learning rate "
                + words(configuration.learningRate()));
        line("data " + words(configuration.data().source()) + ": " + data);
        line("checkpoints " + JsonText.compact(Trees.of(configuration.checkpoint())));
    }

    /** Logs kernels of bundles that ranks opened before their logs: a line for each family. */
    public void kernels(List<String> opened) {
        opened.forEach(this::line);
    }

    private static String words(Choice choice) {
        return choice.options().isEmpty()
                ? choice.name()
                : choice.name() + " " + JsonText.compact(Trees.value(choice.options()));
    }

    @Override
    public void on(TrainingEvent event) {
        switch (event) {
            case TrainingEvent.RunStarted started -> line(started(started));
            case TrainingEvent.ProductsListed products -> products.lines().forEach(this::line);
            case TrainingEvent.StepCompleted step -> {}
            case TrainingEvent.RoundingMeasured measured -> line("step %d: %s", measured.step(), worst(measured));
            case TrainingEvent.FingerprintsTaken taken ->
                line(
                        "step %d: fingerprints of %d tensors",
                        taken.step(), taken.gradients().size());
            case TrainingEvent.KernelsTimed timed -> line("step %d: %s", timed.step(), longest(timed.times()));
            case TrainingEvent.MessagesCounted messages ->
                line("step %d: communication bytes: %s", messages.step(), messages.bytes());
            case TrainingEvent.EvaluationCompleted evaluation ->
                line(
                        "step %d: %s loss %.6f over %d tokens",
                        evaluation.step(), evaluation.dataset(), evaluation.loss(), evaluation.tokens());
            case TrainingEvent.SampleWritten sample ->
                line(
                        "step %d: sample of %d characters",
                        sample.step(), sample.text().length());
            case CheckpointEvent.CheckpointSaved saved ->
                line(
                        "step %d: checkpoint %s saved%s, %d bytes in %.3f s",
                        saved.checkpoint().step(),
                        saved.checkpoint().path(),
                        saved.checkpoint().isInMemory() ? " in memory" : "",
                        saved.checkpoint().bytes(),
                        saved.saveNanos() / 1e9);
            case CheckpointEvent.CheckpointBegun begun ->
                line(
                        "step %d: checkpoint started, training stalled for %.3f s",
                        begun.step(), begun.stallNanos() / 1e9);
            case CheckpointEvent.CheckpointPassedOver passed ->
                line("step %d: resumed from here, not from %s: %s", passed.step(), passed.path(), passed.reason());
            case CheckpointEvent.CheckpointTakenInPart part ->
                line(
                        "step %d: %s is only partly compatible; missing, initial values kept: %s; ignored: %s",
                        part.step(), part.path(), part.missing(), part.unexpected());
            case CheckpointEvent.CheckpointCopied copied ->
                line(
                        "step %d: checkpoint copied to %s, %d bytes in %.3f s",
                        copied.step(), copied.place(), copied.bytes(), copied.copyNanos() / 1e9);
            case CheckpointEvent.CheckpointNotCopied missing ->
                line("step %d: checkpoint NOT COPIED to %s: %s", missing.step(), missing.place(), missing.reason());
            case CheckpointEvent.CheckpointCopying copying ->
                line(
                        "step %d: copying to %s, %d of %d bytes",
                        copying.step(), copying.place(), copying.doneBytes(), copying.bytes());
            case CheckpointEvent.CheckpointFetched fetched ->
                line(
                        "step %d: checkpoint %s fetched from %s, %d bytes in %.3f s",
                        fetched.step(), fetched.path(), fetched.place(), fetched.bytes(), fetched.fetchNanos() / 1e9);
            case TrainingEvent.ModelCompared compared ->
                line(
                        "step %d: losses of a probe differ from what %s says by %.3g of its logits' deviation, allowed %.3g",
                        compared.step(), compared.model(), compared.difference(), compared.allowed());
            case TrainingEvent.StrategiesChanged changed ->
                line(
                        "step %d: %s (%s; parity: %s) in %.3f s",
                        changed.step(),
                        String.join("; ", changed.changes()),
                        changed.reason(),
                        changed.parity().isEmpty() ? "not compared" : changed.parity(),
                        changed.pauseNanos() / 1e9);
            case TrainingEvent.ChangeRejected rejected ->
                line(
                        "step %d: rejected %s: %s",
                        rejected.step(), String.join(" ", rejected.wanted()), rejected.reason());
            case TrainingEvent.AuditFound found -> line(AuditReaction.describe(found));
            case TrainingEvent.RunRolledBack back ->
                line("step %d: rolled back to here from step %d: %s", back.step(), back.from(), back.reason());
            case TrainingEvent.RunPaused paused -> line("step %d: paused: %s", paused.step(), paused.reason());
            case TrainingEvent.RunResumed resumed ->
                line("step %d: continues after %.3f s", resumed.step(), resumed.pauseNanos() / 1e9);
            case TrainingEvent.RunFinished finished ->
                line(finished.interrupted() ? "interrupted after step %d" : "finished after step %d", finished.step());
            case TrainingEvent.RunFailed failed ->
                line("failed after step " + failed.step() + ": " + stackTrace(failed.cause()));
            default -> line(event.toString());
        }
    }

    /** Summary only: monitors record all values. */
    private static String worst(TrainingEvent.RoundingMeasured measured) {
        var worst = Collections.max(
                measured.layers(),
                Comparator.comparingDouble(each -> each.loss().error()));
        return String.format(
                Locale.ROOT,
                "quantization error is largest for %s of %s: relative %.4f, underflow %.3g, largest value %.3g",
                worst.operand(),
                worst.layer(),
                worst.loss().error(),
                worst.loss().vanishedShare(),
                worst.loss().largestShare());
    }

    private static String longest(KernelTimes times) {
        String kernels = times.kernels().stream()
                .limit(LONGEST_KERNELS)
                .map(each -> String.format(
                        Locale.ROOT, "%s %.3f ms in %d launches", each.name(), each.nanos() / 1e6, each.launches()))
                .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "kernels of this process's first rank ran for %.1f%% of %.3f ms; longest: %s",
                100 * times.busyShare(),
                times.spanNanos() / 1e6,
                kernels);
    }

    private static String started(TrainingEvent.RunStarted event) {
        var plan = event.plan();
        var device = event.device();
        return String.format(
                Locale.ROOT,
                "run %s in %s: %d parameters, steps %d to %d of %d tokens and %.6g model FLOP each, on %s %d (%s, %s)",
                event.name(),
                event.directory(),
                plan.parameters(),
                plan.firstStep(),
                plan.lastStep(),
                plan.tokensPerStep(),
                plan.modelFlopsPerStep(),
                device.backend(),
                device.ordinal(),
                device.name(),
                device.arch());
    }

    /** A log message of a bundle; {@code thrown} may be null. */
    void message(String level, String text, Throwable thrown) {
        line(level + " " + text + (thrown == null ? "" : ": " + stackTrace(thrown)));
    }

    private static String stackTrace(Throwable failure) {
        var text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString().strip();
    }

    private void line(String format, Object... arguments) {
        line(String.format(Locale.ROOT, format, arguments));
    }

    /** Lines after the first are indented, so that no foreign text can look like a line of this log. */
    private static String printable(String message) {
        return message.lines().map(line -> Excerpt.printable(line.strip())).collect(Collectors.joining("\n\t"));
    }

    private void line(String message) {
        String line = Instant.now().truncatedTo(ChronoUnit.MILLIS) + " rank " + rank + " " + printable(message) + "\n";
        try {
            try (FileChannel channel = OutputChannels.append(file)) {
                for (ByteBuffer bytes = StandardCharsets.UTF_8.encode(line); bytes.hasRemaining(); ) {
                    channel.write(bytes);
                }
            }
        } catch (IOException failure) {
            throw unwritable(failure);
        }
    }

    private StorageException unwritable(IOException failure) {
        return new StorageException("cannot write " + OutputFiles.explain(file, failure), failure);
    }
}
