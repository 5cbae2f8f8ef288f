package io.hirundo.monitor.internal.jsonl;

import io.hirundo.StorageException;
import io.hirundo.event.CheckpointEvent.CheckpointBegun;
import io.hirundo.event.CheckpointEvent.CheckpointCopied;
import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.event.CheckpointEvent.CheckpointNotCopied;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.CheckpointEvent.CheckpointTakenInPart;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.ChangeRejected;
import io.hirundo.event.TrainingEvent.EvaluationCompleted;
import io.hirundo.event.TrainingEvent.KernelsTimed;
import io.hirundo.event.TrainingEvent.MessagesCounted;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.event.TrainingEvent.RoundingMeasured;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.RunFinished;
import io.hirundo.event.TrainingEvent.RunPaused;
import io.hirundo.event.TrainingEvent.RunResumed;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StrategiesChanged;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.json.StepLines;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes {@code metrics.jsonl} into the run's directory: one object per step, validation, sample, checkpoint, strategy swap,
 * and layer with a measured quantization error, flushed line by line. A resumed run first drops the lines of the steps that it
 * repeats, so that no step appears twice. A failed write throws; the next event reopens the file and tries again.
 */
final class JsonlMonitor implements TrainingListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JsonlMonitor.class);
    private static final String FILE = "metrics.jsonl";

    private Path directory;
    /** Null before the run starts and after it ends. */
    private RunStarted run;

    private MetricsFile file;
    /** Lines of this step and later ones in the existing file belong to an earlier attempt. */
    private long firstStep;

    @Override
    public void on(TrainingEvent event) {
        switch (event) {
            case RunStarted started -> begin(started);
            case StepCompleted step -> write(MetricsLines.step(step));
            case RoundingMeasured measured -> MetricsLines.rounding(measured).forEach(this::write);
            case KernelsTimed timed -> MetricsLines.kernels(timed).forEach(this::write);
            case MessagesCounted messages -> write(MetricsLines.messages(messages));
            case EvaluationCompleted evaluation -> write(MetricsLines.evaluation(evaluation));
            case SampleWritten sample -> write(MetricsLines.sample(sample));
            case CheckpointBegun begun -> write(CheckpointLines.begun(begun));
            case CheckpointSaved saved -> write(CheckpointLines.checkpoint(saved, directory));
            case CheckpointPassedOver passed -> write(CheckpointLines.passedOver(passed, directory));
            case CheckpointTakenInPart part -> write(CheckpointLines.takenInPart(part, directory));
            case CheckpointCopied copied -> write(CheckpointLines.copied(copied));
            case CheckpointNotCopied missing -> write(CheckpointLines.notCopied(missing));
            case CheckpointFetched fetched -> write(CheckpointLines.fetched(fetched, directory));
            case ModelCompared compared -> write(MetricsLines.compared(compared, directory));
            case StrategiesChanged changed -> write(MetricsLines.changed(changed));
            case ChangeRejected rejected -> write(MetricsLines.rejected(rejected));
            case AuditFound found -> write(MetricsLines.audit(found));
            case RunRolledBack back -> rolledBack(back);
            case RunPaused paused -> write(MetricsLines.paused(paused));
            case RunResumed resumed -> write(MetricsLines.resumed(resumed));
            case RunFinished finished -> close();
            case RunFailed failed -> close();
            default -> {
                // Other event types have no line in this file.
            }
        }
    }

    private void begin(RunStarted started) {
        run = started;
        firstStep = started.plan().firstStep();
        directory = started.directory();
        requireOpen();
    }

    /** The steps are repeated, and their audit findings dropped with them: this line keeps the finding. */
    private void rolledBack(RunRolledBack back) {
        firstStep = back.step() + 1;
        closeFile();
        write(MetricsLines.rolledBack(back));
    }

    @Override
    public void requireWritable(Path directory) {
        Path path = directory.resolve(FILE);
        try {
            OutputFiles.requireOwnFile(path);
            AtomicFile.requireWritable(path);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    private void requireOpen() {
        if (file != null) {
            return;
        }
        Path path = directory.resolve(FILE);
        try {
            long dropped = StepLines.dropFrom(firstStep, path);
            if (dropped > 0) {
                LOG.warn("{}: no line ends in its last {} bytes, which are dropped", path, dropped);
            }
            file = new MetricsFile(path);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    private void write(String line) {
        if (run == null) {
            return;
        }
        requireOpen();
        try {
            file.writeLine(line);
        } catch (IOException e) {
            throw unwritable(file.path(), e);
        }
    }

    @Override
    public void close() {
        run = null;
        closeFile();
    }

    private void closeFile() {
        if (file == null) {
            return;
        }
        MetricsFile closing = file;
        file = null;
        try {
            closing.close();
        } catch (IOException e) {
            throw unwritable(closing.path(), e);
        }
    }

    private static StorageException unwritable(Path path, IOException e) {
        return new StorageException("cannot write " + OutputFiles.explain(path, e), e);
    }
}
