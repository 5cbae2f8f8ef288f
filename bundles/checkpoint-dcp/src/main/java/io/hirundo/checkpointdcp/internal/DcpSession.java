package io.hirundo.checkpointdcp.internal;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checkpoints that are on disk, or have failed, when {@link #save} returns. */
final class SyncSession implements CheckpointSession {
  private static final Logger LOG = LoggerFactory.getLogger(SyncSession.class);

  private final CheckpointContext context;
  private final CheckpointStore store;
  private final SyncSave saving;

  private SyncSession(CheckpointContext context, CheckpointStore store, SyncSave saving) {
    this.context = context;
    this.store = store;
    this.saving = saving;
  }

  /** Removes what an interrupted run left, which is nothing that {@link #list} would show. */
  static SyncSession open(
      CheckpointContext context, SyncOptions options, String createdBy, FileOperations files) {
    var manifests = new ManifestText();
    var store = new CheckpointStore(context.directory(), files, manifests);
    if (context.world().rank() == 0) {
      try {
        store.removeLeftovers();
      } catch (IOException e) {
        LOG.warn("what an interrupted save left could not be removed: {}", Reason.of(e));
      }
    }
    var writer = new RankWriter(context, files, manifests, options.chunkBytes(), createdBy);
    var committer = new Committer(store, files, manifests, options.keepLast());
    return new SyncSession(context, store, new SyncSave(context.world(), store, writer, committer));
  }

  @Override
  public PendingSave save(TrainingState state) {
    return saving.save(state);
  }

  @Override
  public List<CheckpointInfo> list() {
    try {
      var found = new ArrayList<CheckpointInfo>();
      for (SavedCheckpoint checkpoint : store.list()) {
        found.add(checkpoint.info());
      }
      return List.copyOf(found);
    } catch (IOException e) {
      throw new CheckpointException(store.directory() + " cannot be read: " + Reason.of(e), e);
    }
  }

  @Override
  public Map<String, Object> values(CheckpointInfo checkpoint) {
    return store.open(checkpoint.path()).manifest().values();
  }

  @Override
  public void load(CheckpointInfo checkpoint, List<StateShard> into) {
    SavedCheckpoint saved = store.open(checkpoint.path());
    try (var loader = new StateLoader(saved, context.device(), context.queue())) {
      loader.load(into);
    }
  }

  /** Nothing is under way between calls. */
  @Override
  public void close() {}
}
