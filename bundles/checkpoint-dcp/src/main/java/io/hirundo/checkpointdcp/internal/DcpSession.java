package io.hirundo.checkpointdcp.internal;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run's checkpoints in this bundle's format. */
final class DcpSession implements CheckpointSession {
  private static final Logger LOG = LoggerFactory.getLogger(DcpSession.class);

  private final CheckpointContext context;
  private final CheckpointStore store;
  private final Saving saving;

  private DcpSession(CheckpointContext context, CheckpointStore store, Saving saving) {
    this.context = context;
    this.store = store;
    this.saving = saving;
  }

  /** Checkpoints that are on disk, or have failed, when {@link #save} returns. */
  static DcpSession sync(CheckpointContext context, SyncOptions options, String createdBy, FileOperations files) {
    var parts = new Parts(context, createdBy, files);
    var saving =
        new SyncSave(
            context.world(),
            parts.store(),
            parts.staging(),
            parts.writer(),
            parts.committer(options.retention()),
            options.chunkBytes());
    return open(context, parts.store(), saving);
  }

  /** Checkpoints that are written while training goes on. */
  static DcpSession async(CheckpointContext context, AsyncOptions options, String createdBy, FileOperations files) {
    var parts = new Parts(context, createdBy, files);
    var saving =
        new AsyncSaving(
            context.world(),
            parts.store(),
            parts.staging(),
            new StagingPool(options.stagingBytes(), options.chunkBytes()),
            parts.writer(),
            parts.committer(options.retention()),
            files,
            new Patience(options.timeoutSeconds()));
    return open(context, parts.store(), saving);
  }

  /** What all strategies have in common. */
  private record Parts(
      CheckpointContext context, CheckpointStore store, ManifestText manifests, String createdBy, FileOperations files) {
    Parts(CheckpointContext context, String createdBy, FileOperations files) {
      var manifests = new ManifestText();
      this(context, new CheckpointStore(context.directory(), files, manifests), manifests, createdBy, files);
    }

    Staging staging() {
      return new Staging(context.device(), context.queue());
    }

    RankWriter writer() {
      return new RankWriter(context.world().rank(), files, manifests, createdBy);
    }

    Committer committer(Retention retention) {
      return new Committer(store, files, manifests, retention);
    }
  }

  /** Removes what an interrupted run left, which is nothing that {@link #list} would show. */
  private static DcpSession open(CheckpointContext context, CheckpointStore store, Saving saving) {
    if (context.world().rank() == 0) {
      try {
        store.removeLeftovers();
      } catch (IOException e) {
        LOG.warn("what an interrupted save left could not be removed: {}", Reason.of(e));
      }
    }
    return new DcpSession(context, store, saving);
  }

  @Override
  public PendingSave save(TrainingState state) {
    return saving.save(state);
  }

  @Override
  public List<CheckpointInfo> list() {
    return found().stream().filter(FoundCheckpoint::isWhole).map(FoundCheckpoint::checkpoint).toList();
  }

  @Override
  public List<FoundCheckpoint> found() {
    try {
      var all = new ArrayList<FoundCheckpoint>();
      for (Found found : store.all()) {
        all.add(found.describe());
      }
      return List.copyOf(all);
    } catch (IOException e) {
      throw new CheckpointException(store.directory() + " cannot be read: " + Reason.of(e), e);
    }
  }

  @Override
  public Map<String, Object> values(CheckpointInfo checkpoint) {
    return store.open(checkpoint.path()).manifest().values();
  }

  @Override
  public Optional<Set<String>> keys(CheckpointInfo checkpoint) {
    return Optional.of(
        store.open(checkpoint.path()).manifest().tensors().stream().map(SavedTensor::key).collect(Collectors.toUnmodifiableSet()));
  }

  @Override
  public void load(CheckpointInfo checkpoint, List<StateShard> into) {
    SavedCheckpoint saved = store.open(checkpoint.path());
    try (var loader = new StateLoader(saved, context.device(), context.queue())) {
      loader.load(into);
    }
  }

  @Override
  public void close() {
    saving.close();
  }
}
