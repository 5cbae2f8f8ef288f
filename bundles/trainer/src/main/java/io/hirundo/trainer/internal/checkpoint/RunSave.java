package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.event.TrainingEvent.CheckpointSaved;
import java.util.List;

/** A save by the ranks of this process: under way, or ended. May be looked at from any thread. */
final class RunSave {
  private final long beginNanos;
  private final long stallNanos;
  private volatile List<PendingSave> parts;
  private volatile CheckpointSaved saved;
  private volatile CheckpointException failure;

  /** {@code parts}: one for each rank of this process; the training has waited for them since {@code beginNanos}. */
  RunSave(long beginNanos, List<PendingSave> parts) {
    this.beginNanos = beginNanos;
    this.parts = List.copyOf(parts);
    this.stallNanos = System.nanoTime() - beginNanos;
    if (hasEnded()) {
      end(stallNanos);
    }
  }

  /** How long training stood still for it. */
  long stallNanos() {
    return stallNanos;
  }

  boolean hasEnded() {
    return parts.stream().allMatch(PendingSave::hasEnded);
  }

  /** Whether it is known to have failed on a rank of this process. */
  boolean hasFailed() {
    return failure != null || parts.stream().anyMatch(part -> part.hasEnded() && !part.isDurable());
  }

  /** Waits for the end, and lets go of what the strategy made. */
  void end() {
    if (!parts.isEmpty()) {
      awaitAll();
      end(System.nanoTime() - beginNanos);
    }
  }

  /**
   * What came of it; waits for that.
   *
   * @throws CheckpointException when it failed
   */
  CheckpointSaved outcome() {
    end();
    if (failure != null) {
      throw failure;
    }
    return saved;
  }

  private void awaitAll() {
    for (PendingSave part : parts) {
      try {
        part.awaitDurable();
      } catch (CheckpointException known) {
        // Asked for again below, when no rank writes any more.
      }
    }
  }

  /** All parts have ended. */
  private void end(long saveNanos) {
    try {
      CheckpointInfo info = null;
      for (PendingSave part : parts.reversed()) {
        info = part.awaitDurable();
      }
      saved = new CheckpointSaved(info, saveNanos);
    } catch (CheckpointException failed) {
      failure = failed;
    }
    parts = List.of();
  }
}
