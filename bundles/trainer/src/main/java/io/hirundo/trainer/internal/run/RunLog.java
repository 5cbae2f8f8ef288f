package io.hirundo.trainer.internal.run;

import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A rank's {@code log.txt}: one line an event, time and rank in front. Steps are a monitor's business. */
final class RunLog implements TrainingListener, AutoCloseable {
  private final int rank;
  private final PrintWriter out;

  RunLog(Path file, int rank) {
    this.rank = rank;
    try {
      Files.createDirectories(file.getParent());
      this.out =
          new PrintWriter(
              Files.newBufferedWriter(
                  file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
              true);
    } catch (IOException failure) {
      throw new StorageException("cannot write " + file + ": " + failure.getMessage(), failure);
    }
  }

  private synchronized void line(String message) {
    out.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " rank " + rank + " " + message);
  }

  /** What was chosen, once, at the beginning. */
  void strategies(RunConfiguration configuration, String data) {
    line("device " + configuration.device());
    line("precision " + configuration.precision());
    line("mesh " + configuration.mesh());
    line("optimizer " + configuration.optimizer() + ", learning rate " + configuration.learningRate());
    line("data " + data);
    line("checkpoints " + configuration.checkpoint());
  }

  private synchronized void failure(Throwable failure) {
    line("failed: " + failure);
    failure.printStackTrace(out);
    out.flush();
  }

  @Override
  public void on(TrainingEvent event) {
    switch (event) {
      case TrainingEvent.StepCompleted step -> {}
      case TrainingEvent.RunFailed failed -> failure(failed.cause());
      default -> line(event.toString());
    }
  }

  @Override
  public void close() {
    out.close();
  }
}
