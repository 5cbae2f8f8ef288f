package __package__;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.RunFinished;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingListener;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * Writes one line of comma-separated values per step. Called on the training thread of rank 0: move slower work than writing a line to a
 * daemon thread. Exceptions are logged and do not end the run.
 */
final class __Name__Monitor implements TrainingListener, AutoCloseable {
    private final __Name__Options options;
    private Path file;
    private Writer out;

    __Name__Monitor(__Name__Options options) {
        this.options = options;
    }

    /** Ignores unknown events: later versions add kinds. */
    @Override
    public void on(TrainingEvent event) {
        switch (event) {
            case RunStarted started -> open(started);
            case StepCompleted completed -> step(completed);
            case RunFinished finished -> close();
            case RunFailed failed -> close();
            default -> {}
        }
    }

    /** A resumed run appends to its file: of a repeated step, the last line counts. */
    private void open(RunStarted started) {
        close();
        file = started.directory().resolve(options.file());
        try {
            boolean isNew = Files.notExists(file);
            out = Files.newBufferedWriter(
                    file, StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
            if (isNew) {
                write("step,loss,gradientNorm,learningRate,tokensPerSecond");
            }
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private void step(StepCompleted event) {
        if (out == null || event.step() % options.everySteps() != 0) {
            return;
        }
        StepMetrics metrics = event.metrics();
        try {
            write(String.format(
                    Locale.ROOT,
                    "%d,%s,%s,%s,%.1f",
                    event.step(),
                    metrics.loss(),
                    metrics.gradientNorm(),
                    metrics.learningRate(),
                    metrics.tokensPerSecond()));
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    /** Flushes complete lines at once, for readers during the run. */
    private void write(String line) throws IOException {
        out.write(line + "\n");
        out.flush();
    }

    private StorageException cannotWrite(IOException failure) {
        return new StorageException(
                "cannot write " + file + ": " + Reason.of(failure) + "; free space or fix its permissions", failure);
    }

    /** Called at the end of a run, and when a swap removes this monitor. */
    @Override
    public void close() {
        if (out == null) {
            return;
        }
        try {
            out.close();
        } catch (IOException e) {
            throw cannotWrite(e);
        } finally {
            out = null;
        }
    }
}
