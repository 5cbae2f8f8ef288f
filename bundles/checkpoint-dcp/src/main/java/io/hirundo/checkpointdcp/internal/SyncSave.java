package io.hirundo.checkpointdcp.internal;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A save by all ranks: rank 0 makes a folder, all write into it, rank 0 commits. Between these steps there is a barrier, which
 * every rank reaches whatever happens to it, so that none waits for one that has failed. What ranks tell each other goes
 * through files in that folder.
 */
final class SyncSave {
  /** A save that has ended. */
  private record Ended(CheckpointInfo checkpoint, CheckpointException failure) implements PendingSave {
    @Override
    public boolean isDurable() {
      return failure == null;
    }

    @Override
    public CheckpointInfo awaitDurable() {
      if (failure != null) {
        throw failure;
      }
      return checkpoint;
    }
  }

  @FunctionalInterface
  private interface Phase {
    void run() throws IOException;
  }

  private final World world;
  private final CheckpointStore store;
  private final RankWriter writer;
  private final Committer committer;
  private Path begun;
  private CheckpointInfo saved;
  private Exception failure;

  SyncSave(World world, CheckpointStore store, RankWriter writer, Committer committer) {
    this.world = world;
    this.store = store;
    this.writer = writer;
    this.committer = committer;
  }

  /** Exceptions of devices and of the caller's making are thrown; those of storage are the result's. */
  PendingSave save(TrainingState state) {
    ProcessGroup all = world.along(Axis.values());
    begun = null;
    saved = null;
    failure = null;
    boolean isFirst = world.rank() == 0;
    attempt(() -> begun = isFirst ? store.begin(state.step(), newId()) : null);
    all.barrier();
    attempt(() -> begun = isFirst ? begun : store.findBegun(state.step()));
    attempt(() -> writer.write(begun, CheckpointStore.idOf(begun), state));
    all.barrier();
    if (isFirst) {
      attempt(() -> saved = committer.commit(begun, all.size()).info());
      discardFailed();
    }
    all.barrier();
    if (!isFirst) {
      attempt(() -> saved = findSaved(state.step(), CheckpointStore.idOf(begun)));
    }
    return ended(state);
  }

  /** Once something has failed, nothing more is attempted. */
  private void attempt(Phase phase) {
    if (failure != null) {
      return;
    }
    try {
      phase.run();
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
  }

  private static String newId() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  private void discardFailed() {
    if (failure == null || begun == null) {
      return;
    }
    try {
      store.discardUnfinished(begun);
    } catch (IOException e) {
      // It has no checkpoint's name, and the next save or run removes it.
      failure.addSuppressed(e);
    }
  }

  private CheckpointInfo findSaved(long step, String id) throws IOException {
    for (SavedCheckpoint checkpoint : store.list()) {
      if (checkpoint.name().step() == step && checkpoint.manifest().header().id().equals(id)) {
        return checkpoint.info();
      }
    }
    throw new CheckpointException("rank 0 could not finish the checkpoint of step " + step + "; its log says why");
  }

  private PendingSave ended(TrainingState state) {
    return switch (failure) {
      case null -> new Ended(saved, null);
      case IOException e -> failed(state, Reason.of(e), e);
      case CheckpointException e -> failed(state, e.getMessage(), e);
      case RuntimeException e -> throw e;
      default -> throw new IllegalStateException(failure);
    };
  }

  private PendingSave failed(TrainingState state, String reason, Exception cause) {
    var exception =
        new CheckpointException(
            "the checkpoint of step " + state.step() + " could not be written to " + store.directory() + ": " + reason
                + "; earlier ones are untouched: make room or mend the folder",
            cause);
    return new Ended(null, exception);
  }
}
